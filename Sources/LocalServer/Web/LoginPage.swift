/// A page that a browser is shown: some words, and perhaps a form for a name and a password. No script, no picture, nothing
/// from elsewhere.
struct LoginPage {
  /// What can be pressed; its name is the field that is sent then.
  enum Button: String {
    case signIn = "sign-in", deny, create

    fileprivate var key: String {
      switch self {
      case .signIn: "localPage.signIn"
      case .deny: "localPage.deny"
      case .create: "localPage.create"
      }
    }
  }

  /// Above the form; from outside in parts.
  var words: String?
  /// Where the form goes; `nil`: there is none.
  var action: String?
  /// The code of a device, for its field; `nil`: no such field.
  var code: String?
  var name = ""
  /// What is sent along unseen.
  var hidden: [(name: String, value: String)] = []
  /// Whether there is a field for the key that makes accounts.
  var asksForKey = false
  /// The first one is pressed by Enter.
  var buttons: [Button] = []
  /// Where an answer to the form may lead beside this server: a scheme, a host and a port.
  var origin: String?
  var status = 200

  func reply(_ texts: ServerSettings.Texts) -> WebReply {
    var body = "<!doctype html><meta charset=utf-8><title>Natter</title>"
    if let words { body += "<p>\(Self.escaped(words))</p>" }
    if let action {
      body += "<form method=post action=\"\(Self.escaped(action))\">"
      for (name, value) in hidden {
        body +=
          "<input type=hidden name=\"\(Self.escaped(name))\" value=\"\(Self.escaped(value))\">"
      }
      if let code { body += field("localPage.code", "user_code", code, texts) }
      body += field("localPage.name", "username", name, texts)
      body += field("localPage.password", "password", "", texts, type: "password")
      if asksForKey { body += field("localPage.key", "key", "", texts, type: "password") }
      let choices = buttons.map {
        "<button name=\($0.rawValue) value=1>\(Self.escaped(texts($0.key, [:])))</button>"
      }
      body += "<p>" + choices.joined(separator: " ") + "</form>"
    }
    return WebReply(
      status: status,
      headers: [
        ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
        (
          "Content-Security-Policy",
          "default-src 'none'; form-action 'self'\(origin.map { " " + $0 } ?? ""); "
            + "frame-ancestors 'none'"
        ), ("Referrer-Policy", "no-referrer"),
      ], body: .bytes(Array(body.utf8)))
  }

  private func field(
    _ key: String, _ name: String, _ value: String, _ texts: ServerSettings.Texts,
    type: String = "text"
  ) -> String {
    "<p><label>\(Self.escaped(texts(key, [:]))) "
      + "<input name=\(name) type=\(type) value=\"\(Self.escaped(value))\"></label>"
  }

  /// Text as it may stand in an element or in an attribute between double quotes.
  static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}

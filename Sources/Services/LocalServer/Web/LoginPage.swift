/// An HTML page with a text and optionally a form for a name and a password. It has no scripts, no
/// images and no external resources.
struct LoginPage {
  /// A button; its raw value is the name of the submitted field.
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

  /// The text above the form; parts of it are untrusted.
  var message: String?
  /// The path to which the form is submitted; `nil` for no form.
  var action: String?
  /// The value of the device code field; `nil` for no such field.
  var code: String?
  var name = ""
  /// The hidden fields of the form.
  var hidden: [(name: String, value: String)] = []
  /// Indicates whether the form has a field for the owner's key, which new accounts require.
  var asksForKey = false
  /// The buttons; Enter activates the first.
  var buttons: [Button] = []
  /// The origin (scheme, host and port) beside this server to which the submitted form may
  /// redirect.
  var origin: String?
  var status = 200

  func reply(_ texts: ServerSettings.Texts) -> WebReply {
    var body = "<!doctype html><meta charset=utf-8><title>Natter</title>"
    if let message { body += "<p>\(Self.escaped(message))</p>" }
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

  /// Returns text escaped for an element or for an attribute in double quotes.
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

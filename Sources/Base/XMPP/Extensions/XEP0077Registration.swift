import XML

/// In-band registration: the server's form for a new account, and its submission (XEP-0077 §3.1).
package struct XEP0077Registration: Hashable, Sendable {
  /// The legacy fields: element names such as `username`, `password`, `email`.
  package let fields: [String]
  package let instructions: String?
  /// Indicates whether this address has an account already.
  package let isRegistered: Bool
  /// The data form, which takes precedence over `fields` (§4).
  package let form: XEP0004DataForm?
  /// The web page for registering with a browser instead (§5).
  package let url: String?
  /// The key of legacy servers, which has to be sent back.
  package let key: String?

  /// Reads a `<query/>`; `nil` when `element` is something else.
  package init?(_ element: Element) {
    guard element.is("query", Namespace.register) else { return nil }
    let own = element.elements.filter { $0.namespace == Namespace.register }
    fields = own.map(\.name).filter { !["instructions", "registered", "key"].contains($0) }
    instructions = own.first { $0.name == "instructions" }?.text
    isRegistered = own.contains { $0.name == "registered" }
    key = own.first { $0.name == "key" }?.text
    form = element.first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }
    url = element.first("x", Namespace.outOfBand)?.first("url", Namespace.outOfBand)?.text
  }

  /// Returns the payload that changes the account's password (§3.3).
  package static func newPassword(_ password: String, username: String) -> Element {
    Element(
      "query", Namespace.register, [:],
      [
        Element("username", Namespace.register, text: username),
        Element("password", Namespace.register, text: password),
      ])
  }

  /// The payload that deletes the account (§3.2).
  package static var removal: Element {
    Element("query", Namespace.register, [:], [Element("remove", Namespace.register)])
  }

  /// Returns the request that presents an invitation before the form is requested (XEP-0445 §4).
  package static func invitation(_ token: String) -> Element {
    Element(
      "iq", Namespace.client, ["type": "set"],
      [XEP0379Invitation(token: token).element])
  }

  /// The request for the form.
  package static var question: Element {
    Element("iq", Namespace.client, ["type": "get"], [Element("query", Namespace.register)])
  }

  /// Returns the submission: name, password and the other fields by name. A `key` among `others` is
  /// sent even if the server gave none.
  package func answer(username: String, password: String, others: [String: [String]]) -> Element {
    var query = Element("query", Namespace.register)
    if let form {
      var answers = others
      answers["username"] = [username]
      answers["password"] = [password]
      query.append(form.answered(answers).element)
    } else {
      query.append(Element("username", Namespace.register, text: username))
      query.append(Element("password", Namespace.register, text: password))
      for name in fields where name != "username" && name != "password" {
        query.append(Element(name, Namespace.register, text: others[name]?.first ?? ""))
      }
      if let key = key ?? others["key"]?.first {
        query.append(Element("key", Namespace.register, text: key))
      }
    }
    return Element("iq", Namespace.client, ["type": "set"], [query])
  }
}

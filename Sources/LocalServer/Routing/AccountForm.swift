import XMPP

/// The fields with which a client creates or changes an account: legacy fields, or those of a data
/// form (XEP-0077 §4).
struct AccountForm {
  let name: String?
  let password: String?
  /// The key of the server's owner.
  let key: String?

  init(_ query: Element) {
    let form = query.first("x", Namespace.dataForms)
    func value(_ name: String) -> String? {
      guard let form else { return query.childText(name, Namespace.register) }
      return form.all("field", Namespace.dataForms).first { $0["var"] == name }?
        .childText("value", Namespace.dataForms)
    }
    (name, password, key) = (value("username"), value("password"), value("key"))
  }

  /// Returns a data form that any client can show. The legacy fields have no name for the key.
  static func asked(_ texts: ServerSettings.Texts) -> Element {
    let fields = [
      ("username", "text-single", "localPage.name"),
      ("password", "text-private", "localPage.password"),
      ("key", "text-private", "localPage.key"),
    ]
    return Element(
      "x", Namespace.dataForms, ["type": "form"],
      fields.map { name, type, label in
        Element(
          "field", Namespace.dataForms, ["var": name, "type": type, "label": texts(label, [:])],
          [Element("required", Namespace.dataForms)])
      })
  }
}

import XML
import XMPP

/// The fields with which a client creates or changes an account: legacy fields, or those of a data
/// form (XEP-0077 §4).
struct AccountForm {
  let name: String?
  let password: String?
  /// The key of the server's owner.
  let key: String?

  init(_ query: Element) {
    let form = query.first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }
    func value(_ name: String) -> String? {
      guard let form else { return query.childText(name, Namespace.register) }
      return form[name]?.values.first
    }
    (name, password, key) = (value("username"), value("password"), value("key"))
  }

  /// Returns a data form that any client can show. The legacy fields have no name for the key.
  static func asked(_ texts: ServerSettings.Texts) -> Element {
    func field(
      _ name: String, _ kind: XEP0004DataForm.FieldKind, _ label: String
    ) -> XEP0004DataForm.Field {
      .init(name, kind: kind, label: texts(label, [:]), isRequired: true)
    }
    return XEP0004DataForm(
      .form,
      fields: [
        field("username", .textSingle, "localPage.name"),
        field("password", .textPrivate, "localPage.password"),
        field("key", .textPrivate, "localPage.key"),
      ]
    ).element
  }
}

import NatterCore
import Text
import XMPP

// The two sets of fields: the desired address, and the server's form.
extension RegisterViewModel {
  private func address(_ account: Account?) -> FormField {
    var address = FormField(.text, ID.address, label: localizer("signin.address"))
    address.text = account?.jid.bare.description ?? form.text(of: ID.address)
    address.cursor = address.text.count
    address.hint = addressHint(address.text)
    address.isRequired = true
    return address
  }

  func addressHint(_ typed: String) -> String {
    if let invitation = Invitation(typed.trimmed) {
      return localizer("register.invitation", ["host": invitation.address.domain])
    }
    return typed.isEmpty ? localizer("register.addressHint") : AddressInput(typed).hint(localizer)
  }

  func firstFields(_ account: Account?, start: Account?) -> [FormField] {
    [
      FormField(.paragraph, "introduction", label: localizer("register.introduction")),
      FormField(.spacer, "space-1"),
      address(account),
      FormField(.spacer, "space-2"),
      FormField(.button, ID.proceed, label: localizer("register.continue")),
      FormField(.button, ID.back, label: localizer("register.back")),
      FormField(.spacer, "space-3"),
    ] + connection.fields(for: start)
  }

  func secondFields(_ asked: RegistrationForm, _ rows: DataFormRows) -> [FormField] {
    var fields: [FormField] = []
    if let instructions = asked.instructions.map(ErrorText.oneLine), !instructions.isEmpty {
      fields.append(
        FormField(
          .paragraph, "instructions",
          label: localizer("register.instructions", ["text": instructions])))
    }
    if let url = asked.url.map(ErrorText.oneLine) {
      fields.append(FormField(.paragraph, "url", label: localizer("register.url", ["url": url])))
      fields.append(FormField(.paragraph, "url-then", label: localizer("register.urlThen")))
    }
    if !fields.isEmpty { fields.append(FormField(.spacer, "space-1")) }
    if Self.needsBrowser(asked) {
      return fields + [FormField(.button, ID.back, label: localizer("register.back"))]
    }
    fields.append(address(nil))
    fields += rows.rows
    if asked.lacksPicture {
      fields.append(FormField(.paragraph, "no-picture", label: localizer("register.noPicture")))
    }
    var password = FormField(.password, ID.password, label: localizer("signin.password"))
    password.isRequired = true
    var again = FormField(
      .password, ID.again, label: localizer("register.again"),
      compactLabel: localizer("register.againShort"))
    again.isRequired = true
    again.hint = localizer("signin.passwordHint")
    return fields + [
      password, again, FormField(.spacer, "space-2"), connection.remember,
      connection.signsInAtStart(true), FormField(.spacer, "space-3"),
      FormField(.button, ID.create, label: localizer("register.create")),
      FormField(.button, ID.back, label: localizer("register.back")),
    ]
  }

  /// Returns true if registration is possible only on the server's web site.
  static func needsBrowser(_ asked: RegistrationForm) -> Bool {
    asked.url != nil && asked.asksNothing
  }
}

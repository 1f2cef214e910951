import NatterCore
import Text
import XMPP

/// The "Advanced" part of the sign-in and registration forms: how to reach the server.
nonisolated struct ConnectionFields {
  static let advanced = "advanced"
  static let server = "server"
  static let port = "port"
  static let security = "security"
  static let caFile = "ca-file"
  static let rememberPassword = "remember"
  static let atStart = "at-start"
  static let all = [server, port, security, caFile]
  /// Buttons of the boxes about problems.
  static let back = "back"
  static let acceptWeaker = "accept-weaker"

  let localizer: Localizer
  let resolveFile: (String) -> String?

  /// Returns the fields, filled in from `account`; closed unless `account` differs from the
  /// defaults.
  func fields(for account: Account?) -> [FormField] {
    let isOpen =
      account.map {
        $0.server != nil || $0.port != nil || $0.security != .automatic || $0.caFile != nil
      } ?? false
    var advanced = FormField(
      .disclosure, Self.advanced, label: localizer("signin.advanced"),
      compactLabel: localizer("signin.advancedShort"))
    advanced.isOn = isOpen
    var server = FormField(.text, Self.server, label: localizer("signin.server"))
    server.text = account?.server ?? ""
    server.hint = localizer("signin.serverHint")
    var port = FormField(.text, Self.port, label: localizer("signin.port"))
    port.text = account?.port.map(String.init) ?? ""
    var security = FormField(
      .choice(Account.Security.allCases.map(word)), Self.security, label: localizer("signin.tls"))
    security.selected =
      Account.Security.allCases.firstIndex(of: account?.security ?? .automatic) ?? 0
    var file = FormField(.text, Self.caFile, label: localizer("signin.caFile"))
    file.text = account?.caFile ?? ""
    file.hint = localizer("signin.caFileHint")
    var details = [server, port, security, file]
    for index in details.indices {
      details[index].isHidden = !isOpen
      details[index].cursor = details[index].text.count
    }
    return [advanced] + details
  }

  /// Fills in the fields of `form` from `account`.
  @MainActor func fill(_ form: FormViewModel, from account: Account) {
    let filled = fields(for: account)
    for field in filled {
      form.update(field.id) {
        ($0.text, $0.cursor) = (field.text, field.cursor)
        ($0.isOn, $0.selected, $0.isHidden) = (field.isOn, field.selected, field.isHidden)
      }
    }
  }

  /// The checkbox for saving the password.
  var remember: FormField {
    var field = FormField(
      .checkbox, Self.rememberPassword, label: localizer("signin.remember"),
      compactLabel: localizer("signin.rememberShort"))
    field.isOn = true
    return field
  }

  func signsInAtStart(_ isOn: Bool) -> FormField {
    var field = FormField(
      .checkbox, Self.atStart, label: localizer("signin.atStart"),
      compactLabel: localizer("signin.atStartShort"))
    field.isOn = isOn
    return field
  }

  private func word(_ security: Account.Security) -> String {
    switch security {
    case .automatic: localizer("signin.tlsAuto")
    case .startTLS: localizer("signin.tlsStarttls")
    case .direct: localizer("signin.tlsDirect")
    case .off: localizer("signin.tlsOff")
    }
  }

  /// Returns the account that the form describes, or `nil` with the invalid field marked and
  /// focused.
  @MainActor func account(_ jid: JID, in form: FormViewModel) -> Account? {
    var account = Account(jid: jid)
    let server = form.text(of: Self.server).trimmed
    var port = form.text(of: Self.port).filter { !$0.isWhitespace }
    let file = form.text(of: Self.caFile)
    if server.hasPrefix("/") {
      account.server = server
    } else if !server.isEmpty {
      guard let name = ServerName(server) else {
        return refuse(Self.server, localizer("signin.serverInvalid"), form)
      }
      account.server = name.host
      if let number = name.port {
        port = String(number)
        // From here on each has its own field, which also shows its errors.
        for (id, text) in [(Self.server, name.host), (Self.port, port)] {
          form.update(id) { ($0.text, $0.cursor) = (text, text.count) }
        }
      }
    }
    if !port.isEmpty {
      guard let number = Int(port), (1...65535).contains(number) else {
        return refuse(Self.port, localizer("signin.portInvalid"), form)
      }
      account.port = number
    }
    let selected = form[Self.security]?.selected ?? 0
    account.security =
      Account.Security.allCases[
        Account.Security.allCases.indices.contains(selected) ? selected : 0]
    if account.security == .off, !Self.isLoopback(account.server ?? jid.domain) {
      return refuse(Self.security, localizer("signin.tlsOffRefused"), form)
    }
    if !file.isEmpty {
      guard let path = resolveFile(file) else {
        return refuse(Self.caFile, localizer("signin.caFileUnreadable"), form)
      }
      account.caFile = path
    }
    return account
  }

  @MainActor private func refuse(_ id: FormField.ID, _ text: String, _ form: FormViewModel)
    -> Account?
  {
    show(form, isOpen: true)
    form.update(id) { $0.error = text }
    form.focus(on: id)
    return nil
  }

  /// Opens or closes the part.
  @MainActor func show(_ form: FormViewModel, isOpen: Bool) {
    form.update(Self.advanced) { $0.isOn = isOpen }
    for id in Self.all { form.update(id) { $0.isHidden = !isOpen } }
  }

  /// Returns true if `host` can only be this machine: `localhost`, 127.0.0.0/8, `::1` (RFC 6761
  /// §6.3), or a Unix socket's path.
  static func isLoopback(_ host: String) -> Bool {
    let host = host.lowercased()
    if host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("/") { return true }
    if host == "::1" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

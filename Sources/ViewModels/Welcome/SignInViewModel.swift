import NatterCore
import XMPP

/// The sign-in form (UX.md 3.3, screen 2).
///
/// It lives as long as the person may come back to it: leaving it keeps what was typed.
package final class SignInViewModel {
  package let form: FormViewModel
  private let signing: any SigningIn
  private let localizer: Localizer
  private let connection: ConnectionFields
  private(set) var attempt: SignInAttempt?
  /// What was known beforehand.
  private let account: Account?

  /// The server took the account.
  package var onSignedIn: (Account) -> Void = { _ in }
  /// "New account...", with what stands in the address field.
  package var onNewAccount: (String) -> Void = { _ in }
  /// Esc while nothing is under way. What was typed stays.
  package var onCancel: () -> Void = {}

  private enum ID {
    static let address = "address"
    static let password = "password"
    static let signIn = "sign-in"
    static let newAccount = "new-account"
  }

  /// - Parameters:
  ///   - account: what is known beforehand, from `--account` and its options or from the last time.
  ///   - resolveFile: the absolute path of a file that can be read, or `nil`.
  package init(
    signing: any SigningIn, localizer: Localizer, account: Account? = nil,
    resolveFile: @escaping (String) -> String? = { $0 }, invalidation: Invalidation = Invalidation()
  ) {
    self.signing = signing
    self.localizer = localizer
    self.account = account
    connection = ConnectionFields(localizer: localizer, resolveFile: resolveFile)
    form = FormViewModel(
      title: localizer("signin.title"),
      fields: Self.fields(localizer, account, connection),
      keyHints: [
        localizer("signin.keysNext"), localizer("signin.keysEnter"),
        localizer("signin.keysQuit"), localizer("signin.keysHelp"),
      ],
      defaultButton: ID.signIn, invalidation: invalidation)
    if account != nil { form.focus(on: ID.password) }
    form.onChange = { [weak self] in self?.changed($0) }
    form.moreHint = localizer("dialog.keysMore")
    form.onPress = { [weak self] in self?.pressed($0) }
    form.onCancel = { [weak self] in self?.cancelled() }
    form.onDialogPress = { [connection, unowned form] in connection.answered($0, in: form) }
  }

  private static func fields(
    _ localizer: Localizer, _ account: Account?, _ connection: ConnectionFields
  ) -> [FormField] {
    var address = FormField(.text, ID.address, label: localizer("signin.address"))
    address.text = account?.jid.bare.description ?? ""
    address.cursor = address.text.count
    address.hint = AddressInput(address.text).hint(localizer)
    address.isRequired = true
    var password = FormField(.password, ID.password, label: localizer("signin.password"))
    password.isRequired = true
    password.hint = localizer("signin.passwordHint")
    return [
      address, password, FormField(.spacer, "space-1"), connection.remember,
      connection.signsInAtStart(account?.signsInAtStart ?? true),
      FormField(.spacer, "space-2"),
      FormField(.button, ID.signIn, label: localizer("signin.signIn")),
      FormField(
        .button, ID.newAccount, label: localizer("signin.newAccount"),
        compactLabel: localizer("signin.newAccountShort")),
      FormField(.spacer, "space-3"),
    ] + connection.fields(for: account)
  }

  // MARK: - From outside

  /// Shows why the account could not be signed in, as after a refused credential.
  package func show(_ problem: ConnectionProblem) {
    stop()
    connection.show(problem, in: form, address: ID.address, password: ID.password)
  }

  /// Fills in the address, as after an account was made elsewhere; the password field gets the focus.
  package func prefill(_ jid: JID) {
    form.update(ID.address) {
      $0.text = jid.bare.description
      $0.cursor = $0.text.count
      $0.error = nil
      $0.hint = AddressInput($0.text).hint(localizer)
    }
    form.focus(on: ID.password)
  }

  /// Gives up what is under way; nothing of it is heard any more.
  package func stop() {
    attempt?.cancel()
    attempt = nil
    form.isBusy = false
  }

  // MARK: - What the person does

  private func changed(_ id: FormField.ID) {
    switch id {
    case ID.address:
      let hint = AddressInput(form.text(of: id)).hint(localizer)
      form.update(id) { $0.hint = hint }
    case ConnectionFields.advanced: connection.show(form, isOpen: form.isOn(id))
    default: break
    }
    if form.message?.level == .error { form.message = nil }
  }

  private func pressed(_ id: FormField.ID) {
    switch id {
    case ID.signIn: signIn()
    case ID.newAccount: onNewAccount(form.text(of: ID.address))
    default: break
    }
  }

  private func cancelled() {
    guard attempt != nil else {
      form.hidePasswords()
      return onCancel()
    }
    stop()
    form.message = FormMessage(.info, [localizer("signin.stopped")])
  }

  private func signIn() {
    form.clearErrors()
    let input = AddressInput(form.text(of: ID.address))
    guard let jid = input.jid else {
      form.update(ID.address) { $0.error = input.hint(localizer) }
      return form.focus(on: ID.address)
    }
    let password = form.text(of: ID.password)
    guard !password.isEmpty else {
      form.update(ID.password) { $0.error = localizer("signin.passwordMissing") }
      return form.focus(on: ID.password)
    }
    guard var account = connection.account(jid, in: form) else { return }
    // Not in the form: from the command line, or from the last time.
    if self.account?.jid.domain == jid.domain { account.httpURL = self.account?.httpURL }
    account.signsInAtStart = form.isOn(ConnectionFields.atStart)
    let request = SignInRequest(
      account: account, credential: Credential(password: password),
      remembersCredential: form.isOn(ConnectionFields.rememberPassword))
    form.isBusy = true
    form.message = FormMessage(.progress, progressLines(.lookingUp(domain: jid.domain)))
    let signing = signing
    attempt = SignInAttempt(
      { try await signing.signIn(request, progress: $0) },
      onProgress: { [weak self] in self?.progressed($0) },
      onEnd: { [weak self] in self?.ended($0, account) })
  }

  private func progressed(_ step: SignInProgress) {
    form.message = FormMessage(.progress, progressLines(step))
  }

  private func progressLines(_ step: SignInProgress) -> [String] {
    [step.sentence(localizer), localizer("signin.escStops")]
  }

  private func ended(_ result: Result<Void, any Error>, _ account: Account) {
    stop()
    form.message = nil
    switch result {
    case .success:
      // The secret has no business in memory once the server knows it.
      form.update(ID.password) { ($0.text, $0.cursor) = ("", 0) }
      form.hidePasswords()
      onSignedIn(account)
    case .failure(let problem as ConnectionProblem): show(problem)
    // Whoever cancelled it knows.
    case .failure(is CancellationError): break
    case .failure(let error):
      let told = NatterError(telling: error, key: "error.unexpected")
      form.message = FormMessage(.error, [localizer(told)])
    }
  }
}

extension SignInProgress {
  /// How far signing in has come, in words.
  nonisolated package func sentence(_ localizer: Localizer) -> String {
    switch self {
    case .lookingUp(let domain):
      localizer("signin.lookingUp", ["host": ProblemText.oneLine(domain)])
    case .connecting(let host):
      localizer("signin.connecting", ["host": ProblemText.oneLine(host)])
    case .authenticating: localizer("signin.authenticating")
    case .registering: localizer("signin.registering")
    }
  }
}

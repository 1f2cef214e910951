import NatterCore
import Text
import XMPP

/// The sign-in form (interface.md, "Screens").
///
/// It stays in memory as long as the user can return to it: leaving it keeps the input.
package final class SignInViewModel {
  /// The reason why the account could not connect, if the form opened by itself.
  private var reason: ErrorText?
  package let form: FormViewModel
  private let signing: any SigningIn
  private let localizer: Localizer
  private let connection: ConnectionFields
  private(set) var attempt: SignInAttempt?
  /// The account that the form was opened with.
  private let account: Account?
  private let start: Account?
  /// The account whose server may offer a weaker sign-in than last time, after the user's
  /// confirmation.
  private var acceptingWeaker: JID?

  /// Called when the server has accepted the account.
  package var onSignedIn: (Account) -> Void = { _ in }
  /// Called for "New account...", with the content of the address field.
  package var onNewAccount: (String) -> Void = { _ in }
  /// Called for "Browser...", with the account, and whether its secret is to be saved.
  package var onBrowser: (Account, Bool) -> Void = { _, _ in }
  /// Called for "Try it here": the built-in server.
  package var onLocal: () -> Void = {}
  /// Called for Esc while no attempt runs. The input stays.
  package var onCancel: () -> Void = {}

  private enum ID {
    static let address = "address"
    static let password = "password"
    static let signIn = "sign-in"
    static let newAccount = "new-account"
    static let browser = "browser"
    static let forgotten = "forgotten"
    static let local = "local"
  }

  /// - Parameters:
  ///   - account: the account to fill in, from `--account` and its options or from the last time.
  ///   - start: how to reach the server if there is no account.
  ///   - offersBrowser: whether there is a button for signing in with a browser.
  ///   - offersLocal: whether there is a button for the built-in server.
  ///   - localAccount: the account of that button; `nil`: none was used there yet.
  ///   - hasWayBack: whether Esc returns to the previous screen.
  ///   - resolveFile: returns the absolute path of a readable file, or `nil`.
  package init(
    signing: any SigningIn, localizer: Localizer, account: Account? = nil,
    start: Account? = nil, offersBrowser: Bool = false, offersLocal: Bool = false,
    localAccount: JID? = nil, hasWayBack: Bool = false,
    resolveFile: @escaping (String) -> String? = { $0 },
    invalidation: Invalidation = Invalidation()
  ) {
    let back = hasWayBack ? [localizer.wayOut("register.keysBack")] : []
    func quit(_ key: String) -> KeyHint { KeyHint(localizer(key), isWayOut: !hasWayBack) }
    self.signing = signing
    self.localizer = localizer
    self.account = account
    self.start = start
    connection = ConnectionFields(localizer: localizer, resolveFile: resolveFile)
    form = FormViewModel(
      title: localizer("signin.title"),
      fields: Self.fields(
        localizer, account, start: account ?? start, connection,
        offersBrowser: offersBrowser, offersLocal: offersLocal, localAccount: localAccount),
      keyHints: [localizer.hint("signin.keysNext"), localizer.hint("signin.keysEnter")] + back
        + [quit("signin.keysQuit"), localizer.hint("signin.keysHelp")],
      defaultButton: ID.signIn, invalidation: invalidation)
    form.shortKeyHints =
      [localizer.hint("signin.keysNextShort"), localizer.hint("signin.keysEnterShort")] + back
      + [localizer.hint("signin.keysHelp"), quit("signin.keysQuitShort")]
    if account != nil { form.focus(on: ID.password) }
    form.onChange = { [weak self] in self?.changed($0) }
    form.moreHint = localizer("dialog.keysMore")
    form.onPress = { [weak self] in self?.pressed($0) }
    form.onCancel = { [weak self] in self?.cancelled() }
    form.onDialogPress = { [weak self] in self?.answered($0) }
  }

  private static func fields(
    _ localizer: Localizer, _ account: Account?, start: Account?, _ connection: ConnectionFields,
    offersBrowser: Bool, offersLocal: Bool, localAccount: JID?
  ) -> [FormField] {
    var address = FormField(.text, ID.address, label: localizer("signin.address"))
    address.text = account?.jid.bare.description ?? ""
    address.cursor = address.text.count
    address.hint = AddressInput(address.text).hint(localizer)
    address.isRequired = true
    var password = FormField(.password, ID.password, label: localizer("signin.password"))
    password.isRequired = true
    password.hint = localizer("signin.passwordHint")
    // Shown after a wrong password.
    var forgotten = FormField(.button, ID.forgotten, label: localizer("signin.forgotten"))
    forgotten.isHidden = true
    return [
      address, password, FormField(.spacer, "space-1"), connection.remember,
      connection.signsInAtStart(account?.signsInAtStart ?? true),
      FormField(.spacer, "space-2"),
      FormField(.button, ID.signIn, label: localizer("signin.signIn")),
    ]
      + (offersBrowser
        ? [FormField(.button, ID.browser, label: localizer("signin.browser"))] : [])
      + [forgotten] + [
        FormField(
          .button, ID.newAccount, label: localizer("signin.newAccount"),
          compactLabel: localizer("signin.newAccountShort"))
      ] + (offersLocal ? [local(localizer, localAccount)] : [])
      + [FormField(.spacer, "space-3")] + connection.fields(for: start)
  }

  private static func local(_ localizer: Localizer, _ account: JID?) -> FormField {
    let short = localizer("guide.local")
    let label = account.map { localizer("signin.local", ["address": $0.shown]) }
    return FormField(.button, ID.local, label: label ?? short, compactLabel: short)
  }

  // MARK: - Input from the program

  /// Shows why the account could not sign in, such as after a refused credential.
  package func show(_ problem: ConnectionProblem) {
    reason = ErrorText(problem, localizer: localizer)
    report(problem)
  }

  private func report(_ problem: ConnectionProblem) {
    stop()
    connection.show(problem, in: form, address: ID.address, password: ID.password)
    guard problem.kind == .wrongPassword else { return }
    // The next password replaces the wrong one.
    form.update(ID.password) { ($0.text, $0.cursor) = ("", 0) }
    form.update(ID.forgotten) { $0.isHidden = false }
  }

  /// Fills in the address, such as after a registration; the password field gets the focus.
  package func prefill(_ jid: JID) {
    form.update(ID.address) {
      $0.text = jid.bare.description
      $0.cursor = $0.text.count
      $0.error = nil
      $0.hint = AddressInput($0.text).hint(localizer)
    }
    form.focus(on: ID.password)
  }

  /// Shows that the account was created but could not sign in, filled in for another attempt.
  /// - Parameter reason: the cause; `nil`: the user cancelled.
  package func showMade(_ request: SignInRequest, because reason: (any Error)?) {
    stop()
    prefill(request.account.jid)
    let password = request.credential.password ?? ""
    form.update(ID.password) { ($0.text, $0.cursor) = (password, password.count) }
    form.update(ConnectionFields.rememberPassword) { $0.isOn = request.remembersCredential }
    connection.fill(form, from: request.account)
    self.reason = nil
    var level = FormMessage.Level.error
    var lines = [localizer("register.made", ["address": request.account.jid.bare.shown])]
    switch reason {
    case let problem as ConnectionProblem:
      report(problem)
      lines += form.message?.lines ?? []
    case is CancellationError, nil:
      level = .info
      lines.append(localizer("signin.stopped"))
    case let error?: lines.append(localizer(NatterError(reporting: error, key: "error.unexpected")))
    }
    form.message = FormMessage(level, lines)
  }

  /// Shows that an account was deleted.
  package func showDeleted(_ jid: JID, messagesKept: Bool) {
    let key = messagesKept ? "account.deletedKept" : "account.deleted"
    form.message = FormMessage(.info, [localizer(key, ["address": jid.bare.shown])])
  }

  /// Cancels the running attempt; no callback follows.
  package func stop() {
    attempt?.cancel()
    attempt = nil
    form.isBusy = false
  }

  // MARK: - User input

  private func changed(_ id: FormField.ID) {
    switch id {
    case ID.address:
      let hint = AddressInput(form.text(of: id)).hint(localizer)
      form.update(id) { $0.hint = hint }
    case ConnectionFields.advanced:
      // The server settings may be the solution: the error stays visible beside them.
      return connection.show(form, isOpen: form.isOn(id))
    default: break
    }
    guard form.message?.level == .error else { return }
    // A change of the input removes the error of an attempt, but not the reason why the form
    // opened.
    form.message = reason.map { FormMessage(.error, $0.lines, compact: $0.shortLines) }
  }

  private func pressed(_ id: FormField.ID) {
    switch id {
    case ID.signIn: signIn()
    case ID.browser: signInWithBrowser()
    case ID.forgotten: askForHelp()
    case ID.local: onLocal()
    case ID.newAccount: onNewAccount(form.text(of: ID.address))
    default: break
    }
  }

  /// Handles the answer in a box about a problem.
  private func answered(_ button: Dialog.Button.ID) {
    guard button == ConnectionFields.acceptWeaker else {
      return connection.answered(button, in: form)
    }
    acceptingWeaker = AddressInput(form.text(of: ID.address)).jid?.bare
    // If the form opened by itself, the password is still missing.
    guard !form.text(of: ID.password).isEmpty else { return form.focus(on: ID.password) }
    signIn()
  }

  private func cancelled() {
    guard attempt != nil else {
      form.hidePasswords()
      return onCancel()
    }
    stop()
    form.message = FormMessage(.info, [localizer("signin.stopped")])
  }

  /// Returns the account that the form describes, or `nil` with the invalid field marked and
  /// focused.
  private func typedAccount() -> Account? {
    let input = AddressInput(form.text(of: ID.address))
    guard let jid = input.jid else {
      form.update(ID.address) { $0.error = input.hint(localizer) }
      form.focus(on: ID.address)
      return nil
    }
    guard var account = connection.account(jid, in: form) else { return nil }
    // Not in the form: from the command line, or from the last time.
    if let known = self.account {
      if known.jid.domain == jid.domain { account.httpURL = known.httpURL }
    } else {
      account.httpURL = start?.httpURL
    }
    account.acceptsWeakerSignIn =
      acceptingWeaker == jid.bare || (self.account ?? start)?.acceptsWeakerSignIn == true
    account.signsInAtStart = form.isOn(ConnectionFields.atStart)
    return account
  }

  /// Queries the server's help for a lost password: a page, or contact addresses (XEP-0077 §3.1,
  /// §5; XEP-0157).
  private func askForHelp() {
    form.clearErrors()
    guard let account = typedAccount() else { return }
    let signing = signing
    form.isBusy = true
    form.message = FormMessage(.progress, progressLines(.first(to: account)))
    attempt = SignInAttempt(
      { _ in
        let addresses = await signing.supportAddresses(for: account)
        // The account may exist on a server that has closed registration, or does not answer.
        return (try? await signing.registrationForm(for: account), addresses)
      }, onProgress: { _ in },
      onEnd: { [weak self] (result: Result<(RegistrationForm?, [String]), any Error>) in
        let found = try? result.get()
        self?.showHelp(found?.0, found?.1 ?? [], host: account.jid.domain)
      })
  }

  private func showHelp(_ asked: RegistrationForm?, _ addresses: [String], host: String) {
    stop()
    form.message = nil
    var lines: [Dialog.Line] = []
    if let url = asked?.url.map(ErrorText.oneAddress), !url.isEmpty {
      lines = [.text(localizer("signin.forgottenPage")), .text(url)]
    }
    if let instructions = asked?.instructions.map(ErrorText.oneLine), !instructions.isEmpty {
      lines.append(.row(localizer("signin.forgottenWords", ["host": host]), instructions))
    }
    let asking = addresses.isEmpty ? "signin.forgottenAsk" : "signin.forgottenContacts"
    lines.append(.text(localizer(asking, ["host": host])))
    lines += addresses.map { .text(ErrorText.oneLine($0)) }
    form.dialog = Dialog(
      title: localizer("signin.forgottenTitle"), lines: lines,
      buttons: [Dialog.Button("back", localizer("certificate.back"))], safe: "back")
  }

  private func signInWithBrowser() {
    form.clearErrors()
    guard let account = typedAccount() else { return }
    onBrowser(account, form.isOn(ConnectionFields.rememberPassword))
  }

  private func signIn() {
    form.clearErrors()
    let input = AddressInput(form.text(of: ID.address))
    guard input.jid != nil else {
      form.update(ID.address) { $0.error = input.hint(localizer) }
      return form.focus(on: ID.address)
    }
    let password = form.text(of: ID.password)
    guard !password.isEmpty else {
      form.update(ID.password) { $0.error = localizer("signin.passwordMissing") }
      return form.focus(on: ID.password)
    }
    guard let account = typedAccount() else { return }
    let request = SignInRequest(
      account: account, credential: Credential(password: password),
      remembersCredential: form.isOn(ConnectionFields.rememberPassword))
    form.isBusy = true
    form.message = FormMessage(.progress, progressLines(.first(to: account)))
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
      // The secret must not stay in memory once the server has accepted it.
      form.update(ID.password) { ($0.text, $0.cursor) = ("", 0) }
      form.hidePasswords()
      // This method becomes the minimum from now on.
      acceptingWeaker = nil
      var account = account
      account.acceptsWeakerSignIn = (self.account ?? start)?.acceptsWeakerSignIn == true
      onSignedIn(account)
    case .failure(let problem as ConnectionProblem):
      reason = nil
      report(problem)
    // The user has cancelled and needs no report.
    case .failure(is CancellationError): break
    case .failure(let error):
      let reported = NatterError(reporting: error, key: "error.unexpected")
      form.message = FormMessage(.error, [localizer(reported)])
    }
  }
}

extension SignInProgress {
  /// Returns the progress of signing in as a sentence.
  nonisolated package func sentence(_ localizer: Localizer) -> String {
    switch self {
    case .lookingUp(let domain):
      localizer("signin.lookingUp", ["host": ErrorText.oneLine(domain)])
    case .connecting(let host):
      localizer("signin.connecting", ["host": ErrorText.oneLine(host)])
    case .authenticating: localizer("signin.authenticating")
    case .registering: localizer("signin.registering")
    }
  }
}

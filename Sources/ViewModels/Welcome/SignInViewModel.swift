import NatterCore
import XMPP

/// The sign-in form (interface.md, "Screens").
///
/// It lives as long as the person may come back to it: leaving it keeps what was typed.
package final class SignInViewModel {
  /// Why the account could not go on, where the form came up by itself.
  private var reason: ErrorText?
  package let form: FormViewModel
  private let signing: any SigningIn
  private let localizer: Localizer
  private let connection: ConnectionFields
  private(set) var attempt: SignInAttempt?
  /// What was known beforehand.
  private let account: Account?
  private let place: Account?
  /// Whose server may offer a weaker way to sign in than the last time; the user was asked.
  private var acceptingWeaker: JID?

  /// The server took the account.
  package var onSignedIn: (Account) -> Void = { _ in }
  /// "New account...", with what stands in the address field.
  package var onNewAccount: (String) -> Void = { _ in }
  /// "Browser...": with the account, and whether its secret is to be remembered.
  package var onBrowser: (Account, Bool) -> Void = { _, _ in }
  /// "Try it here": the built-in server.
  package var onLocal: () -> Void = {}
  /// Esc while nothing is under way. What was typed stays.
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
  ///   - account: what is known beforehand, from `--account` and its options or from the last time.
  ///   - place: how the server is reached, where no account is known.
  ///   - offersBrowser: whether there is a button for signing in with a browser.
  ///   - offersLocal: whether there is one for the built-in server.
  ///   - localAccount: the account that it opens; `nil`: none was used there yet.
  ///   - hasWayBack: whether Esc goes back to what was there before.
  ///   - resolveFile: the absolute path of a file that can be read, or `nil`.
  package init(
    signing: any SigningIn, localizer: Localizer, account: Account? = nil,
    place: Account? = nil, offersBrowser: Bool = false, offersLocal: Bool = false,
    localAccount: JID? = nil, hasWayBack: Bool = false,
    resolveFile: @escaping (String) -> String? = { $0 },
    invalidation: Invalidation = Invalidation()
  ) {
    let back = hasWayBack ? [localizer.wayOut("register.keysBack")] : []
    func quit(_ key: String) -> KeyHint { KeyHint(localizer(key), isWayOut: !hasWayBack) }
    self.signing = signing
    self.localizer = localizer
    self.account = account
    self.place = place
    connection = ConnectionFields(localizer: localizer, resolveFile: resolveFile)
    form = FormViewModel(
      title: localizer("signin.title"),
      fields: Self.fields(
        localizer, account, place: account ?? place, connection,
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
    _ localizer: Localizer, _ account: Account?, place: Account?, _ connection: ConnectionFields,
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
    // Shown once a password was wrong.
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
      + [FormField(.spacer, "space-3")] + connection.fields(for: place)
  }

  private static func local(_ localizer: Localizer, _ account: JID?) -> FormField {
    let short = localizer("guide.local")
    let label = account.map { localizer("signin.local", ["address": $0.shown]) }
    return FormField(.button, ID.local, label: label ?? short, compactLabel: short)
  }

  // MARK: - From outside

  /// Shows why the account could not be signed in, as after a refused credential.
  package func show(_ problem: ConnectionProblem) {
    reason = ErrorText(problem, localizer: localizer)
    tell(problem)
  }

  private func tell(_ problem: ConnectionProblem) {
    stop()
    connection.show(problem, in: form, address: ID.address, password: ID.password)
    guard problem.kind == .wrongPassword else { return }
    // The next one is not typed behind it.
    form.update(ID.password) { ($0.text, $0.cursor) = ("", 0) }
    form.update(ID.forgotten) { $0.isHidden = false }
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

  /// Shows that an account is made and that nobody is signed in to it yet, filled in to try again.
  /// - Parameter reason: why not; `nil`: it was given up.
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
      tell(problem)
      lines += form.message?.lines ?? []
    case is CancellationError, nil:
      level = .info
      lines.append(localizer("signin.stopped"))
    case let error?: lines.append(localizer(NatterError(telling: error, key: "error.unexpected")))
    }
    form.message = FormMessage(level, lines)
  }

  /// Shows that an account is gone for good.
  package func showDeleted(_ jid: JID, messagesKept: Bool) {
    let key = messagesKept ? "account.deletedKept" : "account.deleted"
    form.message = FormMessage(.info, [localizer(key, ["address": jid.bare.shown])])
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
    case ConnectionFields.advanced:
      // Where the server is looked for may be what helps: that is read beside what went wrong.
      return connection.show(form, isOpen: form.isOn(id))
    default: break
    }
    guard form.message?.level == .error else { return }
    // What an attempt said is over when something else is typed; why the form came up is not.
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

  /// The answer to a box that a problem was told in.
  private func answered(_ button: Dialog.Button.ID) {
    guard button == ConnectionFields.acceptWeaker else {
      return connection.answered(button, in: form)
    }
    acceptingWeaker = AddressInput(form.text(of: ID.address)).jid?.bare
    // Where the form came up by itself the password is still to be typed.
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

  /// The account that the form describes, or `nil` with the field that is wrong marked and focused.
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
      account.httpURL = place?.httpURL
    }
    account.acceptsWeakerSignIn =
      acceptingWeaker == jid.bare || (self.account ?? place)?.acceptsWeakerSignIn == true
    account.signsInAtStart = form.isOn(ConnectionFields.atStart)
    return account
  }

  /// What the server says to somebody who has no password: a page, or how to reach its people (XEP-0077 §3.1, §5; XEP-0157).
  private func askForHelp() {
    form.clearErrors()
    guard let account = typedAccount() else { return }
    let signing = signing
    form.isBusy = true
    form.message = FormMessage(.progress, progressLines(.first(to: account)))
    attempt = SignInAttempt(
      { _ in
        let addresses = await signing.supportAddresses(for: account)
        // A server that takes no newcomers, or does not answer, may have been known before.
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
    if let words = asked?.instructions.map(ErrorText.oneLine), !words.isEmpty {
      lines.append(.row(localizer("signin.forgottenWords", ["host": host]), words))
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
      // The secret has no business in memory once the server knows it.
      form.update(ID.password) { ($0.text, $0.cursor) = ("", 0) }
      form.hidePasswords()
      // What was taken this time is what is expected from now on.
      acceptingWeaker = nil
      var account = account
      account.acceptsWeakerSignIn = (self.account ?? place)?.acceptsWeakerSignIn == true
      onSignedIn(account)
    case .failure(let problem as ConnectionProblem):
      reason = nil
      tell(problem)
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
      localizer("signin.lookingUp", ["host": ErrorText.oneLine(domain)])
    case .connecting(let host):
      localizer("signin.connecting", ["host": ErrorText.oneLine(host)])
    case .authenticating: localizer("signin.authenticating")
    case .registering: localizer("signin.registering")
    }
  }
}

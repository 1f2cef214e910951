import NatterCore
import Text
import XMPP

/// The registration of a new account (XEP-0077): first the desired address, then the server's form.
package final class RegisterViewModel {
  package let form: FormViewModel
  private let signing: any SigningIn
  let localizer: Localizer
  let connection: ConnectionFields
  private(set) var attempt: SignInAttempt?
  /// The server's form, and the account that it is for.
  private var asked: (form: RegistrationForm, account: Account, rows: DataFormRows)?
  /// True if the running attempt has created the account.
  private var isMade = false
  /// The account that may have been created by an attempt whose result was lost.
  private var unsure: JID?
  /// The fields that were already shown as unanswered: leaving them empty again is intentional.
  private var pointedAt: Set<FormField.ID> = []

  /// Called when the account was created and is signed in.
  package var onSignedIn: (Account) -> Void = { _ in }
  /// Called when the account was created but is not signed in: the request, and the cause (`nil`:
  /// the user cancelled).
  package var onMade: (SignInRequest, (any Error)?) -> Void = { _, _ in }
  /// Called to return to the sign-in form. The input stays.
  package var onBack: () -> Void = {}

  enum ID {
    static let address = "address"
    static let password = "password"
    static let again = "password-again"
    static let proceed = "continue"
    static let create = "create"
    static let back = "back"
  }

  /// - Parameter start: how to reach the server if there is no account.
  package init(
    signing: any SigningIn, localizer: Localizer, account: Account? = nil, start: Account? = nil,
    resolveFile: @escaping (String) -> String? = { $0 }, invalidation: Invalidation = Invalidation()
  ) {
    self.signing = signing
    self.localizer = localizer
    connection = ConnectionFields(localizer: localizer, resolveFile: resolveFile)
    form = FormViewModel(
      title: localizer("register.title"), fields: [],
      keyHints: [
        localizer.hint("signin.keysNext"), localizer.hint("register.keysEnter"),
        localizer.wayOut("register.keysBack"), localizer.hint("signin.keysQuit"),
      ], invalidation: invalidation)
    form.replace(
      title: localizer("register.title"), fields: firstFields(account, start: account ?? start),
      focus: ID.address)
    form.defaultButton = ID.proceed
    form.onChange = { [weak self] in self?.changed($0) }
    form.moreHint = localizer("dialog.keysMore")
    form.onPress = { [weak self] in self?.pressed($0) }
    form.onCancel = { [weak self] in self?.cancelled() }
    form.onDialogPress = { [connection, unowned form] in connection.answered($0, in: form) }
  }

  /// Fills in an address unless the field has one already.
  package func prefill(_ typed: String) {
    guard form.text(of: ID.address).isEmpty else { return }
    form.update(ID.address) {
      ($0.text, $0.cursor) = (typed, typed.count)
      $0.hint = addressHint(typed)
    }
  }

  /// Starts with an invitation instead of an address.
  package func begin(with invitation: String) {
    form.update(ID.address) {
      ($0.text, $0.cursor) = (invitation, invitation.count)
      $0.hint = addressHint(invitation)
    }
  }

  /// Cancels the running attempt; no callback follows.
  package func stop() {
    attempt?.cancel()
    attempt = nil
    form.isBusy = false
  }

  private func askAddressAgain() {
    asked = nil
    form.defaultButton = ID.proceed
    form.replace(
      title: localizer("register.title"), fields: firstFields(nil, start: nil), focus: ID.address)
  }

  // MARK: - User input

  private func changed(_ id: FormField.ID) {
    switch id {
    case ID.address:
      let typed = form.text(of: id)
      form.update(id) { $0.hint = addressHint(typed) }
      // Another server may have another form.
      if let asked, let domain = AddressInput(typed).jid?.domain, domain != asked.account.jid.domain
      {
        askAddressAgain()
      }
    case ConnectionFields.advanced: return connection.show(form, isOpen: form.isOn(id))
    default: break
    }
    if form.message?.level == .error { form.message = nil }
  }

  private func pressed(_ id: FormField.ID) {
    switch id {
    case ID.proceed: askServer()
    case ID.create: create()
    case ID.back: leave()
    default: break
    }
  }

  private func cancelled() {
    guard attempt != nil else { return leave() }
    let request = isMade ? typedRequest() : nil
    stop()
    if let request { return leave(to: request, because: nil) }
    if asked != nil { unsure = typedAddress() }
    form.message = FormMessage(.info, [localizer("signin.stopped")])
  }

  private func leave() {
    form.hidePasswords()
    if let asked, Self.needsBrowser(asked.form) { askAddressAgain() }
    onBack()
  }

  private func typedAddress() -> JID? {
    let input = AddressInput(form.text(of: ID.address))
    if let jid = input.jid { return jid }
    form.update(ID.address) { $0.error = input.hint(localizer) }
    form.focus(on: ID.address)
    return nil
  }

  private func askServer() {
    form.clearErrors()
    let invitation = Invitation(form.text(of: ID.address).trimmed)
    guard let jid = invitation?.address ?? typedAddress(),
      var account = connection.account(jid, in: form)
    else { return }
    if let invitation {
      account.invitation = invitation.token
      let address = jid.local == nil ? "@\(jid.domain)" : jid.description
      form.update(ID.address) { ($0.text, $0.cursor) = (address, 0) }
    }
    let signing = signing
    begin(.lookingUp(domain: jid.domain))
    attempt = SignInAttempt(
      { [account] _ in try await signing.registrationForm(for: account) },
      onProgress: { _ in },
      onEnd: { [weak self] (result: Result<RegistrationForm, any Error>) in
        guard let self else { return }
        finish()
        switch result {
        case .success(let asked): show(asked, for: account)
        case .failure(let error): show(error)
        }
      })
  }

  private func show(_ answer: RegistrationForm, for account: Account) {
    // The fields of another server differ, even at the same index.
    let rows = DataFormRows(
      localizer.knownToNewcomers(answer.questions), stem: "answer \(account.jid.domain)",
      localizer: localizer)
    asked = (answer, account, rows)
    pointedAt = []
    form.defaultButton = Self.needsBrowser(answer) ? ID.back : ID.create
    let fields = secondFields(answer, rows)
    // An invitation leaves the name to the user.
    let first =
      account.jid.local == nil
      ? ID.address : fields.first { $0.isFocusable && $0.id != ID.address }?.id
    form.replace(
      title: localizer("register.titleServer", ["host": account.jid.domain]), fields: fields,
      focus: first)
  }

  /// Returns true if the answers are complete; otherwise the first wrong field gets the focus.
  private func isAnswered(_ rows: DataFormRows) -> Bool {
    if let id = rows.missing(in: form).first { return point(at: id, "register.answerMissing") }
    if let id = rows.unticked(in: form).first(where: { pointedAt.insert($0).inserted }) {
      return point(at: id, "register.answerUnticked")
    }
    if form.text(of: ID.password).isEmpty {
      return point(at: ID.password, "signin.passwordMissing")
    }
    if form.text(of: ID.password) != form.text(of: ID.again) {
      return point(at: ID.again, "register.passwordsDiffer")
    }
    return true
  }

  private func point(at id: FormField.ID, _ key: String) -> Bool {
    form.update(id) { $0.error = localizer(key) }
    form.focus(on: id)
    return false
  }

  private func typedRequest() -> SignInRequest? {
    guard let was = asked?.account, let jid = typedAddress() else { return nil }
    var account = Account(
      jid: jid, server: was.server, port: was.port, security: was.security, caFile: was.caFile,
      signsInAtStart: form.isOn(ConnectionFields.atStart))
    account.invitation = was.invitation
    return SignInRequest(
      account: account, credential: Credential(password: form.text(of: ID.password)),
      remembersCredential: form.isOn(ConnectionFields.rememberPassword))
  }

  private func create() {
    form.clearErrors()
    guard let asked, let request = typedRequest(), isAnswered(asked.rows) else { return }
    let answers = asked.rows.answers(in: form).merging(asked.form.hidden) { own, _ in own }
    let signing = signing
    isMade = false
    begin(.registering)
    attempt = SignInAttempt(
      { [answers] in try await signing.register(request, answers: answers, progress: $0) },
      onProgress: { [weak self] in
        // The next step is signing in.
        self?.isMade = $0 != .registering
        self?.begin($0)
      },
      onEnd: { [weak self] (result: Result<Void, any Error>) in
        guard let self else { return }
        finish()
        switch result {
        case .success: signedIn(request.account)
        case .failure(let made as NotSignedInYet): leave(to: request, because: made.reason)
        case .failure(let problem as ConnectionProblem)
        where problem.kind == .nameTaken && unsure == request.account.jid:
          signIn(request, taken: problem)
        case .failure(let error):
          if !Self.saysNotMade(error) { unsure = request.account.jid }
          refused(error)
        }
      })
  }

  /// Returns true if the failure implies that no account was created.
  private static func saysNotMade(_ error: any Error) -> Bool {
    guard let problem = error as? ConnectionProblem else { return false }
    switch problem.kind {
    case .nameTaken, .formRejected, .registrationRefused: return true
    // These occur before the request is sent.
    case .unknownHost, .serviceNotOffered, .domainNotServed, .refused, .unreachable, .tlsFailed,
      .tlsUnavailable, .tlsRequired, .clearTextRefused, .notXMPP,
      .authoritiesUnusable:
      return true
    default: return problem.concernsCertificate
    }
  }

  /// The name may be taken by the previous attempt, whose result was lost: then its password works.
  private func signIn(_ request: SignInRequest, taken problem: ConnectionProblem) {
    let signing = signing
    begin(.first(to: request.account))
    attempt = SignInAttempt(
      { try await signing.signIn(request, progress: $0) },
      onProgress: { [weak self] in self?.begin($0) },
      onEnd: { [weak self] (result: Result<Void, any Error>) in
        guard let self else { return }
        finish()
        switch result {
        case .success: signedIn(request.account)
        case .failure(let refusal as ConnectionProblem) where refusal.asksForCredentials:
          // The account is another user's.
          unsure = nil
          refused(problem)
        case .failure(let error): show(error)
        }
      })
  }

  private func signedIn(_ account: Account) {
    forgetPasswords()
    onSignedIn(account)
  }

  private func forgetPasswords() {
    unsure = nil
    for id in [ID.password, ID.again] { form.update(id) { ($0.text, $0.cursor) = ("", 0) } }
    form.hidePasswords()
  }

  private func leave(to request: SignInRequest, because reason: (any Error)?) {
    forgetPasswords()
    onMade(request, reason)
  }

  /// Shows why no account was created, after fetching a new form if the old one is no longer valid.
  private func refused(_ error: any Error) {
    guard let account = asked?.account, asked?.form.isForOneAnswer == true,
      !(error is CancellationError)
    else { return show(error) }
    let signing = signing
    begin(.lookingUp(domain: account.jid.domain))
    attempt = SignInAttempt(
      { _ in try await signing.registrationForm(for: account) },
      onProgress: { _ in },
      onEnd: { [weak self] (result: Result<RegistrationForm, any Error>) in
        guard let self else { return }
        finish()
        // The error in the answer matters more than a failure to get another form.
        if case .success(let next) = result {
          show(next, for: account)
          for id in Self.pictureAnswers.compactMap({ self.asked?.rows.row(of: $0) }) {
            form.update(id) { ($0.text, $0.cursor) = ("", 0) }
          }
        }
        guard let problem = error as? ConnectionProblem,
          [.registrationRefused, .formRejected].contains(problem.kind)
        else { return show(error) }
        let detail = ErrorText(problem, localizer: localizer).detail
        guard !detail.isEmpty else { return show(error) }
        // Registration is open; the server's text is about this answer.
        form.message = FormMessage(
          .error, [localizer("register.answerRefused", ["words": detail])])
      })
  }

  /// The field names of answers to pictures and sounds (XEP-0158 §5).
  private static let pictureAnswers = [
    "audio_recog", "ocr", "picture_q", "picture_recog", "qa", "speech_q", "speech_recog", "video_q",
    "video_recog",
  ]

  private func begin(_ step: SignInProgress) {
    form.isBusy = true
    form.message = FormMessage(
      .progress, [step.sentence(localizer), localizer("signin.escStops")])
  }

  private func finish() {
    stop()
    form.message = nil
  }

  private func show(_ error: any Error) {
    switch error {
    case let problem as ConnectionProblem where problem.kind == .nameTaken && asked != nil:
      form.update(ID.address) { $0.error = localizer("register.nameTaken") }
      form.focus(on: ID.address)
    case let problem as ConnectionProblem:
      connection.show(problem, in: form, address: ID.address, password: ID.password)
    // The user has cancelled and needs no report.
    case is CancellationError: break
    default:
      let reported = NatterError(reporting: error, key: "error.unexpected")
      form.message = FormMessage(.error, [localizer(reported)])
    }
  }
}

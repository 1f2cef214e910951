import NatterCore
import XMPP

/// Making a new account at a server (XEP-0077): first the address that is wanted, then what its server asks.
package final class RegisterViewModel {
  package let form: FormViewModel
  private let signing: any SigningIn
  private let localizer: Localizer
  private let connection: ConnectionFields
  private(set) var attempt: SignInAttempt?
  /// What the server asks, and which account it was asked for.
  private var asked: (form: RegistrationForm, account: Account)?

  /// The account was made and is signed in.
  package var onSignedIn: (Account) -> Void = { _ in }
  /// Back to the sign-in form. What was typed stays.
  package var onBack: () -> Void = {}

  private enum ID {
    static let address = "address"
    static let password = "password"
    static let again = "password-again"
    static let proceed = "continue"
    static let create = "create"
    static let back = "back"
    static let answer = "answer."
  }

  /// - Parameter place: how the server is reached, where no account is known.
  package init(
    signing: any SigningIn, localizer: Localizer, account: Account? = nil, place: Account? = nil,
    resolveFile: @escaping (String) -> String? = { $0 }, invalidation: Invalidation = Invalidation()
  ) {
    self.signing = signing
    self.localizer = localizer
    connection = ConnectionFields(localizer: localizer, resolveFile: resolveFile)
    form = FormViewModel(
      title: localizer("register.title"), fields: [],
      keyHints: [
        localizer("signin.keysNext"), localizer("register.keysEnter"),
        localizer("register.keysBack"), localizer("signin.keysQuit"),
      ], invalidation: invalidation)
    form.replace(
      title: localizer("register.title"), fields: firstFields(account, place: account ?? place),
      focus: ID.address)
    form.defaultButton = ID.proceed
    form.onChange = { [weak self] in self?.changed($0) }
    form.moreHint = localizer("dialog.keysMore")
    form.onPress = { [weak self] in self?.pressed($0) }
    form.onCancel = { [weak self] in self?.cancelled() }
    form.onDialogPress = { [connection, unowned form] in connection.answered($0, in: form) }
  }

  /// Fills in an address unless one was typed here already.
  package func prefill(_ typed: String) {
    guard form.text(of: ID.address).isEmpty else { return }
    form.update(ID.address) {
      ($0.text, $0.cursor) = (typed, typed.count)
      $0.hint = addressHint(typed)
    }
  }

  /// Begins with an invitation in place of an address.
  package func begin(with invitation: String) {
    form.update(ID.address) {
      ($0.text, $0.cursor) = (invitation, invitation.count)
      $0.hint = addressHint(invitation)
    }
  }

  /// Gives up what is under way; nothing of it is heard any more.
  package func stop() {
    attempt?.cancel()
    attempt = nil
    form.isBusy = false
  }

  // MARK: - Fields

  private func address(_ account: Account?) -> FormField {
    var address = FormField(.text, ID.address, label: localizer("signin.address"))
    address.text = account?.jid.bare.description ?? form.text(of: ID.address)
    address.cursor = address.text.count
    address.hint = addressHint(address.text)
    address.isRequired = true
    return address
  }

  private func addressHint(_ typed: String) -> String {
    if let invitation = Invitation(typed.trimmed) {
      return localizer("register.invitation", ["host": invitation.address.domain])
    }
    return typed.isEmpty ? localizer("register.addressHint") : AddressInput(typed).hint(localizer)
  }

  private func firstFields(_ account: Account?, place: Account?) -> [FormField] {
    [
      FormField(.paragraph, "introduction", label: localizer("register.introduction")),
      FormField(.spacer, "space-1"),
      address(account),
      FormField(.spacer, "space-2"),
      FormField(.button, ID.proceed, label: localizer("register.continue")),
      FormField(.button, ID.back, label: localizer("register.back")),
      FormField(.spacer, "space-3"),
    ] + connection.fields(for: place)
  }

  private func secondFields(_ asked: RegistrationForm) -> [FormField] {
    var fields: [FormField] = []
    if let instructions = asked.instructions.map(ProblemText.oneLine), !instructions.isEmpty {
      fields.append(
        FormField(
          .paragraph, "instructions",
          label: localizer("register.instructions", ["text": instructions])))
    }
    if let url = asked.url.map(ProblemText.oneLine) {
      fields.append(FormField(.paragraph, "url", label: localizer("register.url", ["url": url])))
      fields.append(FormField(.paragraph, "url-then", label: localizer("register.urlThen")))
    }
    if !fields.isEmpty { fields.append(FormField(.spacer, "space-1")) }
    if Self.needsBrowser(asked) {
      return fields + [FormField(.button, ID.back, label: localizer("register.back"))]
    }
    fields.append(address(nil))
    for (number, question) in asked.fields.enumerated() where !question.isHidden {
      fields.append(field(for: question, number: number))
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

  private func field(for question: RegistrationForm.Field, number: Int) -> FormField {
    let name = ProblemText.oneLine(question.label)
    let label =
      localizer.registrationLabel(question.name)
      ?? (name.isEmpty ? ProblemText.oneLine(question.name) : name)
    if question.isNote { return FormField(.paragraph, "note \(number)", label: label) }
    let kind: FormField.Kind =
      if question.isBoolean {
        .checkbox
      } else if !question.options.isEmpty {
        .choice(question.options.map { ProblemText.oneLine($0.label) })
      } else {
        question.isPrivate ? .password : .text
      }
    var field = FormField(kind, ID.answer + question.name, label: label)
    if question.isBoolean {
      field.isOn = ["1", "true"].contains(question.value)
    } else if !question.options.isEmpty {
      field.selected = question.options.firstIndex { $0.value == question.value } ?? 0
    } else {
      (field.text, field.cursor) = (question.value, question.value.count)
    }
    field.isRequired = question.isRequired
    return field
  }

  /// What was answered, in the form that the server reads.
  private func answer(to question: RegistrationForm.Field) -> String {
    if question.isHidden { return question.value }
    let field = form[ID.answer + question.name]
    if question.isBoolean { return field?.isOn == true ? "1" : "0" }
    if !question.options.isEmpty {
      let index = field?.selected ?? 0
      return question.options.indices.contains(index) ? question.options[index].value : ""
    }
    return field?.text ?? ""
  }

  /// Whether the server takes newcomers only on its web site.
  private static func needsBrowser(_ asked: RegistrationForm) -> Bool {
    asked.url != nil && asked.fields.allSatisfy { $0.isNote || $0.isHidden }
  }

  private func askAddressAgain() {
    asked = nil
    form.defaultButton = ID.proceed
    form.replace(
      title: localizer("register.title"), fields: firstFields(nil, place: nil), focus: ID.address)
  }

  // MARK: - What the person does

  private func changed(_ id: FormField.ID) {
    switch id {
    case ID.address:
      let typed = form.text(of: id)
      form.update(id) { $0.hint = addressHint(typed) }
      // Another server may ask other things.
      if let asked, let domain = AddressInput(typed).jid?.domain, domain != asked.account.jid.domain
      {
        askAddressAgain()
      }
    case ConnectionFields.advanced: connection.show(form, isOpen: form.isOn(id))
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
    stop()
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
    asked = (answer, account)
    form.defaultButton = Self.needsBrowser(answer) ? ID.back : ID.create
    let fields = secondFields(answer)
    // An invitation leaves the name to choose.
    let first =
      account.jid.local == nil
      ? ID.address : fields.first { $0.isFocusable && $0.id != ID.address }?.id
    form.replace(
      title: localizer("register.titleServer", ["host": account.jid.domain]), fields: fields,
      focus: first)
  }

  private func create() {
    form.clearErrors()
    guard let asked, let jid = typedAddress() else { return }
    for question in asked.form.fields
    where question.isRequired && !question.isNote && !question.isHidden && !question.isBoolean
      && question.options.isEmpty
    {
      let id = ID.answer + question.name
      guard form.text(of: id).isEmpty else { continue }
      form.update(id) { $0.error = localizer("register.answerMissing") }
      return form.focus(on: id)
    }
    let password = form.text(of: ID.password)
    if password.isEmpty {
      form.update(ID.password) { $0.error = localizer("signin.passwordMissing") }
      return form.focus(on: ID.password)
    }
    if password != form.text(of: ID.again) {
      form.update(ID.again) { $0.error = localizer("register.passwordsDiffer") }
      return form.focus(on: ID.again)
    }
    let was = asked.account
    var account = Account(
      jid: jid, server: was.server, port: was.port, security: was.security, caFile: was.caFile,
      signsInAtStart: form.isOn(ConnectionFields.atStart))
    account.invitation = was.invitation
    let request = SignInRequest(
      account: account, credential: Credential(password: password),
      remembersCredential: form.isOn(ConnectionFields.rememberPassword))
    var answers: [String: String] = [:]
    for question in asked.form.fields where !question.isNote {
      answers[question.name] = answer(to: question)
    }
    let signing = signing
    begin(.registering)
    attempt = SignInAttempt(
      { [answers] in try await signing.register(request, answers: answers, progress: $0) },
      onProgress: { [weak self] in self?.begin($0) },
      onEnd: { [weak self] (result: Result<Void, any Error>) in
        guard let self else { return }
        finish()
        switch result {
        case .success:
          for id in [ID.password, ID.again] { form.update(id) { ($0.text, $0.cursor) = ("", 0) } }
          form.hidePasswords()
          onSignedIn(account)
        case .failure(let error): refused(error)
        }
      })
  }

  /// Shows why no account was made, once there is another question where the one before holds no more.
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
        // What was wrong with the answer counts, and not that there is no other question now.
        if case .success(let next) = result {
          show(next, for: account)
          for name in Self.pictureAnswers {
            form.update(ID.answer + name) { ($0.text, $0.cursor) = ("", 0) }
          }
        }
        guard let problem = error as? ConnectionProblem,
          [.registrationRefused, .formRejected].contains(problem.kind), !problem.detail.isEmpty
        else { return show(error) }
        // It does take newcomers; what it says is about this answer.
        let words = ["words": ProblemText.oneLine(problem.detail)]
        form.message = FormMessage(.error, [localizer("register.answerRefused", words)])
      })
  }

  /// What the answers to pictures and sounds are called (XEP-0158 §5).
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
    // Whoever cancelled it knows.
    case is CancellationError: break
    default:
      let told = NatterError(telling: error, key: "error.unexpected")
      form.message = FormMessage(.error, [localizer(told)])
    }
  }
}

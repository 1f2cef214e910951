import NatterCore
import Testing
import Text
import XMPP

@testable import ViewModels

@Suite struct RegisterViewModelTests {
  let localizer = formTexts()
  let asked = RegistrationForm(
    instructions: "Pick\na name",
    questions: DataForm(fields: [
      .init(name: "email", kind: .text, label: "E-mail", isRequired: true),
      .init(name: "nick", kind: .text, label: "", values: ["al"]),
    ]), url: nil)
  /// The row of a question of example.org's, by its position among the questions.
  nonisolated private static func row(_ number: Int) -> FormField.ID {
    "answer example.org \(number)"
  }
  private let email = row(0)
  private let nick = row(1)

  private func asking(_ signing: FakeSigning) async -> RegisterViewModel {
    let model = RegisterViewModel(signing: signing, localizer: localizer)
    model.form.fill("address", "alice@example.org")
    model.form.confirm()
    await model.attempt?.ended()
    return model
  }

  @Test func `the server's questions and instructions become fields`() async {
    let model = await asking(FakeSigning(onForm: { [asked] _ in asked }))
    #expect(model.form.title == "New account at example.org")
    #expect(model.form["instructions"]?.label == "The server says: Pick a name")
    #expect(model.form[email]?.label == "E-mail")
    #expect(model.form[nick]?.label == "Nickname")
    #expect(model.form.text(of: nick) == "al")
    #expect(model.form.text(of: "address") == "alice@example.org")
    #expect(model.form.focus == email)
    #expect(model.form.defaultButton == "create")
  }

  @Test func `answers, name and password go to the server, and the account is signed in`() async {
    let sent = Record<(SignInRequest, [String: [String]])>()
    let model = await asking(
      FakeSigning(onForm: { [asked] _ in asked }, onRegister: { sent.add(($0, $1)) }))
    var accounts: [Account] = []
    model.onSignedIn = { accounts.append($0) }
    model.form.fill(email, "a@example.com")
    model.form.fill("password", "pw")
    model.form.fill("password-again", "pw")
    model.form.confirm()
    await model.attempt?.ended()
    #expect(sent.values.first?.1 == ["email": ["a@example.com"]])
    #expect(sent.values.first?.0.credential == Credential(password: "pw"))
    #expect(accounts == [Account(jid: JID(local: "alice", domain: "example.org"))])
    #expect(model.form.text(of: "password").isEmpty)
  }

  @Test func `a required answer and two equal passwords are asked for`() async {
    let model = await asking(FakeSigning(onForm: { [asked] _ in asked }))
    model.form.press("create")
    #expect(model.form[email]?.error == localizer("register.answerMissing"))
    model.form.fill(email, "a@b")
    model.form.press("create")
    #expect(model.form.focus == "password")
    model.form.fill("password", "one")
    model.form.fill("password-again", "two")
    model.form.press("create")
    #expect(model.form.focus == "password-again")
    #expect(model.form["password-again"]?.error == localizer("register.passwordsDiffer"))
    #expect(model.attempt == nil)
  }

  /// A form with a picture, which its number distinguishes from others.
  nonisolated private static func picture(_ number: String) -> RegistrationForm {
    func field(_ name: String, _ kind: DataForm.Field.FieldType = .text) -> DataForm.Field {
      DataForm.Field(name: name, kind: kind, label: name, isRequired: true)
    }
    return RegistrationForm(
      instructions: nil,
      questions: DataForm(fields: [
        .init(name: "", kind: .note, label: "https://a.example/\(number)"), field("ocr"),
        field("email"),
      ]), hidden: ["challenge": [number]], url: nil)
  }

  @Test func `a question that holds once is asked anew after a wrong answer, and the rest stays`()
    async
  {
    let questions = Record<Account>()
    let sent = Record<[String: [String]]>()
    let model = await asking(
      FakeSigning(
        onForm: {
          questions.add($0)
          return Self.picture("\(questions.values.count)")
        },
        onRegister: {
          sent.add($1)
          if sent.values.count == 1 {
            throw ConnectionProblem(.registrationRefused, detail: "The CAPTCHA is wrong")
          }
        }))
    #expect(model.form[Self.row(0)]?.label == "https://a.example/1")
    for (id, text) in [
      (Self.row(1), "xyz"), (Self.row(2), "a@b"), ("password", "p"), ("password-again", "p"),
    ] { model.form.fill(id, text) }
    model.form.press("create")
    // The second question is asked when the first answer is refused.
    for _ in 0..<2 { await model.attempt?.ended() }
    #expect(sent.values == [["challenge": ["1"], "ocr": ["xyz"], "email": ["a@b"]]])
    #expect(model.form[Self.row(0)]?.label == "https://a.example/2")
    #expect(model.form.text(of: Self.row(1)).isEmpty)
    #expect(model.form.text(of: Self.row(2)) == "a@b" && model.form.text(of: "password") == "p")
    #expect(
      model.form.message?.lines == ["The server did not accept the answers: The CAPTCHA is wrong"])
    model.form.fill(Self.row(1), "abc")
    model.form.press("create")
    await model.attempt?.ended()
    #expect(sent.values.last == ["challenge": ["2"], "ocr": ["abc"], "email": ["a@b"]])
  }

  @Test func `a name that is taken is reported under the address, and nothing typed is lost`() async
  {
    let model = await asking(
      FakeSigning(
        onForm: { _ in RegistrationForm(instructions: nil, url: nil) },
        onRegister: { _, _ in throw ConnectionProblem(.nameTaken, host: "example.org") }))
    model.form.fill("password", "pw")
    model.form.fill("password-again", "pw")
    model.form.confirm()
    await model.attempt?.ended()
    #expect(model.form["address"]?.error == localizer("register.nameTaken"))
    #expect(model.form.focus == "address")
    #expect(model.form.text(of: "password") == "pw")
  }

  @Test func `a server that takes no one says so with the way on`() async {
    let model = await asking(
      FakeSigning(onForm: { _ in throw ConnectionProblem(.registrationRefused, host: "example.org")
      }))
    #expect(model.form.message?.lines.first == "Registration is closed on this server.")
    #expect(model.form.message?.lines.last == localizer("problem.registrationRefused.now"))
  }

  @Test func `a server with a web page for newcomers shows it`() async {
    let model = await asking(
      FakeSigning(onForm: { _ in
        RegistrationForm(instructions: "Use the page", url: "https://example.org/new")
      }))
    #expect(
      model.form["url"]?.label
        == "This server has a page for registration: https://example.org/new")
    #expect(model.form["password"] == nil)
    var backs = 0
    model.onBack = { backs += 1 }
    model.form.confirm()
    #expect(backs == 1)
    #expect(model.form.text(of: "address") == "alice@example.org")
  }

  @Test func `another server in the address asks anew`() async {
    let model = await asking(FakeSigning(onForm: { [asked] _ in asked }))
    model.form.fill("password", "pw")
    model.form.fill("address", "alicia@example.org")
    #expect(model.form[email] != nil)
    model.form.fill("address", "alicia@example.net")
    #expect(model.form[email] == nil)
    #expect(model.form.text(of: "address") == "alicia@example.net")
    #expect(model.form.defaultButton == "continue")
    model.form.confirm()
    await model.attempt?.ended()
    #expect(model.form.text(of: "password") == "pw")
  }

  @Test func `esc goes back and keeps what was typed`() async {
    let model = await asking(FakeSigning(onForm: { [asked] _ in asked }))
    var backs = 0
    model.onBack = { backs += 1 }
    model.form.fill(email, "a@b")
    model.form.cancel()
    #expect(backs == 1)
    #expect(model.form.text(of: email) == "a@b")
  }

  @Test func `an address from the sign-in form is taken unless one was typed`() {
    let model = RegisterViewModel(signing: FakeSigning(), localizer: localizer)
    model.prefill("carol@example.org")
    #expect(model.form["address"]?.hint == "Natter will contact example.org")
    model.prefill("dave@example.org")
    #expect(model.form.text(of: "address") == "carol@example.org")
  }

  @Test func `esc stops asking the server`() async {
    let gate = Gate()
    let model = RegisterViewModel(
      signing: FakeSigning(onForm: { _ in
        await gate.wait()
        return RegistrationForm(instructions: nil, url: nil)
      }), localizer: localizer)
    model.form.fill("address", "alice@example.org")
    model.form.confirm()
    let attempt = model.attempt
    model.form.cancel()
    gate.open()
    await attempt?.ended()
    #expect(!model.form.isBusy)
    #expect(model.form.defaultButton == "continue")
  }

  // MARK: - Forms of every kind

  @Test func `every kind of question goes back as it was answered`() async {
    let sent = Record<[String: [String]]>()
    let languages = ["en", "fr", "zh"].map { DataForm.Option(label: $0.uppercased(), value: $0) }
    let form = RegistrationForm(
      instructions: nil,
      questions: DataForm(fields: [
        .init(name: "langs", kind: .choices(languages), label: "Languages", values: ["en", "fr"]),
        .init(name: "about", kind: .lines, label: "About", values: ["one", "two"]),
        .init(
          name: "rules", kind: .boolean, label: "I agree", hint: "All of them", isRequired: true),
      ]), hidden: ["h": ["1", "2"]], url: nil)
    let model = await asking(FakeSigning(onForm: { _ in form }, onRegister: { sent.add($1) }))
    #expect(model.form[Self.row(2)]?.hint == "All of them")
    model.form.fill("password", "p")
    model.form.fill("password-again", "p")
    model.form.press("create")
    // A yes that is wanted is asked for once; a no that stays is meant.
    #expect(model.form.focus == Self.row(2))
    #expect(model.form[Self.row(2)]?.error == localizer("register.answerUnticked"))
    #expect(sent.values.isEmpty)
    model.form.update(Self.row(2)) { $0.isOn = true }
    model.form.update("\(Self.row(0)) 2") { $0.isOn = true }
    model.form.fill(Self.row(1), "one | three")
    model.form.press("create")
    await model.attempt?.ended()
    #expect(
      sent.values == [
        [
          "h": ["1", "2"], "langs": ["en", "fr", "zh"], "about": ["one", "three"], "rules": ["1"],
        ]
      ])
  }

  @Test func `a picture that cannot be seen is reported`() async {
    let form = RegistrationForm(
      instructions: nil, questions: Self.picture("1").questions, url: nil, lacksPicture: true)
    let model = await asking(FakeSigning(onForm: { _ in form }))
    #expect(model.form["no-picture"]?.label == localizer("register.noPicture"))
  }

  // MARK: - Made, and not signed in

  private func ready(_ signing: FakeSigning) async -> RegisterViewModel {
    let model = await asking(signing)
    model.form.fill("password", "pw")
    model.form.fill("password-again", "pw")
    return model
  }

  @Test func `an account that is made goes on in the sign-in form`() async {
    let lost = ConnectionProblem(.closed, host: "example.org")
    let model = await ready(
      FakeSigning(onRegister: { _, _ in throw NotSignedInYet(reason: lost) }))
    let made = Record<(SignInRequest, ConnectionProblem?)>()
    model.onMade = { made.add(($0, $1 as? ConnectionProblem)) }
    model.form.confirm()
    await model.attempt?.ended()
    #expect(made.values.map(\.0.credential) == [Credential(password: "pw")])
    #expect(made.values.first?.1 == lost)
    #expect(model.form.text(of: "password").isEmpty)
    let signIn = SignInViewModel(signing: FakeSigning(), localizer: localizer)
    if let request = made.values.first?.0 { signIn.showMade(request, because: lost) }
    #expect(signIn.form.text(of: "address") == "alice@example.org")
    #expect(signIn.form.text(of: "password") == "pw")
    #expect(
      signIn.form.message?.lines.first
        == localizer("register.made", ["address": "alice@example.org"]))
    #expect(signIn.form.message?.lines.contains(localizer("problem.closed.now")) == true)
  }

  @Test func `esc after the account was made leads to the sign-in form`() async {
    let gate = Gate()
    let model = await ready(
      FakeSigning(onRegister: { _, _ in await gate.wait() }, reportsMade: true))
    let made = Record<SignInRequest>()
    model.onMade = { request, reason in
      if reason == nil { made.add(request) }
    }
    model.form.confirm()
    let words = localizer("signin.authenticating")
    #expect(await becomes { model.form.message?.lines.first == words })
    model.form.cancel()
    #expect(made.values.map(\.account.jid.description) == ["alice@example.org"])
    gate.open()
  }

  @Test(arguments: [true, false])
  func `a name that an unconfirmed attempt may have taken is tried with its password`(
    isOwn: Bool
  ) async {
    let attempts = Record<String>()
    let model = await ready(
      FakeSigning(
        onSignIn: { request, _ in
          attempts.add("sign in \(request.credential.password ?? "")")
          if !isOwn { throw ConnectionProblem(.wrongPassword, host: "example.org") }
        },
        onRegister: { _, _ in
          attempts.add("register")
          throw ConnectionProblem(
            attempts.values.count == 1 ? .closed : .nameTaken, host: "example.org")
        }))
    let signedIn = Record<Account>()
    model.onSignedIn = { signedIn.add($0) }
    model.form.press("create")
    await model.attempt?.ended()
    model.form.press("create")
    for _ in 0..<2 { await model.attempt?.ended() }
    #expect(attempts.values == ["register", "register", "sign in pw"])
    #expect(signedIn.values.count == (isOwn ? 1 : 0))
    #expect((model.form["address"]?.error == localizer("register.nameTaken")) == !isOwn)
  }

  @Test(arguments: [
    ConnectionProblem.ProblemKind.refused, .unknownHost, .certificateUntrusted, .tlsFailed,
  ])
  func `after a failure in which nothing was sent a taken name is another user's`(
    kind: ConnectionProblem.ProblemKind
  ) async {
    let attempts = Record<String>()
    let model = await ready(
      FakeSigning(
        onSignIn: { _, _ in attempts.add("sign in") },
        onRegister: { _, _ in
          attempts.add("register")
          throw ConnectionProblem(
            attempts.values.count == 1 ? kind : .nameTaken, host: "example.org")
        }))
    for _ in 1...2 {
      model.form.press("create")
      await model.attempt?.ended()
    }
    await model.attempt?.ended()
    #expect(attempts.values == ["register", "register"])
    #expect(model.form["address"]?.error == localizer("register.nameTaken"))
  }
}

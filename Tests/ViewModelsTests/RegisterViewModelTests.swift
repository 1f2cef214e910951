import NatterCore
import Testing
import XMPP

@testable import ViewModels

@Suite struct RegisterViewModelTests {
  let localizer = formTexts()
  let asked = RegistrationForm(
    instructions: "Pick\na name",
    fields: [
      RegistrationForm.Field(
        name: "email", label: "E-mail", isRequired: true, isPrivate: false, value: ""),
      RegistrationForm.Field(
        name: "nick", label: "", isRequired: false, isPrivate: false, value: "al"),
    ], url: nil)

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
    #expect(model.form["answer.email"]?.label == "E-mail")
    #expect(model.form["answer.nick"]?.label == "Nickname")
    #expect(model.form.text(of: "answer.nick") == "al")
    #expect(model.form.text(of: "address") == "alice@example.org")
    #expect(model.form.focus == "answer.email")
    #expect(model.form.defaultButton == "create")
  }

  @Test func `answers, name and password go to the server, and the account is signed in`() async {
    let sent = Record<(SignInRequest, [String: String])>()
    let model = await asking(
      FakeSigning(onForm: { [asked] _ in asked }, onRegister: { sent.add(($0, $1)) }))
    var accounts: [Account] = []
    model.onSignedIn = { accounts.append($0) }
    model.form.fill("answer.email", "a@example.com")
    model.form.fill("password", "pw")
    model.form.fill("password-again", "pw")
    model.form.confirm()
    await model.attempt?.ended()
    #expect(sent.values.first?.1 == ["email": "a@example.com", "nick": "al"])
    #expect(sent.values.first?.0.credential == Credential(password: "pw"))
    #expect(accounts == [Account(jid: JID(local: "alice", domain: "example.org"))])
    #expect(model.form.text(of: "password").isEmpty)
  }

  @Test func `a required answer and two equal passwords are asked for`() async {
    let model = await asking(FakeSigning(onForm: { [asked] _ in asked }))
    model.form.press("create")
    #expect(model.form["answer.email"]?.error == localizer("register.answerMissing"))
    model.form.fill("answer.email", "a@b")
    model.form.press("create")
    #expect(model.form.focus == "password")
    model.form.fill("password", "one")
    model.form.fill("password-again", "two")
    model.form.press("create")
    #expect(model.form.focus == "password-again")
    #expect(model.form["password-again"]?.error == localizer("register.passwordsDiffer"))
    #expect(model.attempt == nil)
  }

  /// A form with a picture, which its number tells from others.
  nonisolated private static func picture(_ number: String) -> RegistrationForm {
    func field(_ name: String, _ value: String = "") -> RegistrationForm.Field {
      RegistrationForm.Field(
        name: name, label: name, isRequired: true, isPrivate: false, value: value)
    }
    var challenge = field("challenge", number)
    challenge.isHidden = true
    var note = RegistrationForm.Field(
      name: "", label: "https://a.example/\(number)", isRequired: false, isPrivate: false, value: ""
    )
    note.isNote = true
    return RegistrationForm(
      instructions: nil, fields: [note, challenge, field("ocr"), field("email")], url: nil)
  }

  @Test func `a question that holds once is asked anew after a wrong answer, and the rest stays`()
    async
  {
    let questions = Record<Account>()
    let sent = Record<[String: String]>()
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
    #expect(model.form["note 0"]?.label == "https://a.example/1")
    #expect(model.form["answer.challenge"] == nil)
    for (id, text) in [
      ("answer.ocr", "xyz"), ("answer.email", "a@b"), ("password", "p"), ("password-again", "p"),
    ] { model.form.fill(FormField.ID(id), text) }
    model.form.press("create")
    // The second question is asked when the first answer is refused.
    for _ in 0..<2 { await model.attempt?.ended() }
    #expect(sent.values == [["challenge": "1", "ocr": "xyz", "email": "a@b"]])
    #expect(model.form["note 0"]?.label == "https://a.example/2")
    #expect(model.form.text(of: "answer.ocr").isEmpty)
    #expect(model.form.text(of: "answer.email") == "a@b" && model.form.text(of: "password") == "p")
    #expect(
      model.form.message?.lines == ["The server did not take the answers: The CAPTCHA is wrong"])
    model.form.fill("answer.ocr", "abc")
    model.form.press("create")
    await model.attempt?.ended()
    #expect(sent.values.last == ["challenge": "2", "ocr": "abc", "email": "a@b"])
  }

  @Test func `a name that is taken stands under the address, and nothing typed is lost`() async {
    let model = await asking(
      FakeSigning(
        onForm: { _ in RegistrationForm(instructions: nil, fields: [], url: nil) },
        onRegister: { _, _ in throw ConnectionProblem(.nameTaken, host: "example.org") }))
    model.form.fill("password", "pw")
    model.form.fill("password-again", "pw")
    model.form.confirm()
    await model.attempt?.ended()
    #expect(model.form["address"]?.error == localizer("register.nameTaken"))
    #expect(model.form.focus == "address")
    #expect(model.form.text(of: "password") == "pw")
  }

  @Test func `a server that takes nobody says so with the way on`() async {
    let model = await asking(
      FakeSigning(onForm: { _ in throw ConnectionProblem(.registrationRefused, host: "example.org")
      }))
    #expect(model.form.message?.lines.first == "The server takes nobody new.")
    #expect(model.form.message?.lines.last == localizer("problem.registrationRefused.now"))
  }

  @Test func `a server with a web page for newcomers shows it`() async {
    let model = await asking(
      FakeSigning(onForm: { _ in
        RegistrationForm(instructions: "Use the page", fields: [], url: "https://example.org/new")
      }))
    #expect(
      model.form["url"]?.label == "This server has a page for newcomers: https://example.org/new")
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
    #expect(model.form["answer.email"] != nil)
    model.form.fill("address", "alicia@example.net")
    #expect(model.form["answer.email"] == nil)
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
    model.form.fill("answer.email", "a@b")
    model.form.cancel()
    #expect(backs == 1)
    #expect(model.form.text(of: "answer.email") == "a@b")
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
        return RegistrationForm(instructions: nil, fields: [], url: nil)
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
}

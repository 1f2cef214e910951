import NatterCore
import Testing
import Text
import XMPP

@testable import ViewModels

@Suite struct SignInViewModelTests {
  let localizer = formTexts()

  func model(_ signing: FakeSigning = FakeSigning(), account: Account? = nil)
    -> SignInViewModel
  {
    SignInViewModel(
      signing: signing, localizer: localizer, account: account,
      resolveFile: { $0.hasSuffix(".pem") ? "/abs/" + $0 : nil })
  }

  func filled(
    _ signing: FakeSigning = FakeSigning(), address: String = "alice@example.org"
  ) -> SignInViewModel {
    let model = model(signing)
    model.form.fill("address", address)
    model.form.fill("password", "secret")
    return model
  }

  @Test(arguments: [true, false])
  func `the key hints show Esc where that goes back`(hasWayBack: Bool) {
    let form = SignInViewModel(
      signing: FakeSigning(), localizer: localizer, hasWayBack: hasWayBack
    ).form
    for hints in [form.keyHints, form.shortKeyHints] {
      #expect(hints.contains { $0.text == "Esc back" } == hasWayBack)
      #expect(hints.filter(\.isWayOut).count == 1)
    }
  }

  @Test func `without an account the form says how the server is reached all the same`() async {
    var start = Account(jid: JID(local: "nobody", domain: "localhost"))
    (start.server, start.port, start.security) = ("chat.example.net", 5299, .direct)
    (start.caFile, start.httpURL) = ("/abs/a.pem", "https://example.net")
    let requests = Record<SignInRequest>()
    let model = SignInViewModel(
      signing: FakeSigning(onSignIn: { request, _ in requests.add(request) }),
      localizer: localizer, start: start, resolveFile: { $0 })
    #expect(model.form.text(of: "address").isEmpty)
    #expect(model.form.isOn("advanced"))
    model.form.fill("address", "alice@example.org")
    model.form.fill("password", "secret")
    model.form.confirm()
    await model.attempt?.ended()
    let found = requests.values.first?.account
    #expect(found?.jid == JID(local: "alice", domain: "example.org"))
    #expect(found?.server == "chat.example.net" && found?.port == 5299)
    #expect(found?.security == .direct && found?.caFile == "/abs/a.pem")
    #expect(found?.httpURL == "https://example.net")
    let register = RegisterViewModel(
      signing: FakeSigning(), localizer: localizer, start: start, resolveFile: { $0 })
    #expect(register.form.text(of: "server") == "chat.example.net")
  }

  @Test(arguments: [
    "alice@example.org", " xmpp:Alice@Example.ORG ", "alice＠example.org",
    "XMPP:alice@example.org?message",
    "alice@example.org/phone", "\u{3000}alice@example.org\t",
  ])
  func `an address is taken in any form`(typed: String) async {
    let requests = Record<SignInRequest>()
    let model = filled(
      FakeSigning(onSignIn: { request, _ in requests.add(request) }), address: typed)
    model.form.confirm()
    await model.attempt?.ended()
    #expect(requests.values.map(\.account.jid) == [JID(local: "alice", domain: "example.org")])
  }

  @Test(arguments: [
    ("", "looks like name@server, e.g. alice@example.org"),
    ("alice", "add @ and the server, e.g. alice@example.org"),
    ("@example.org", "the name before the @ is missing"),
    ("alice@", "the server after the @ is missing"),
    ("al ice@example.org", "an address cannot contain spaces"),
    ("/help", "commands work once you are signed in; F1 helps here"),
    ("a<b>@example.org", "it contains a character that addresses cannot have"),
    ("al i'ce@example.org", "an address cannot contain spaces"),
    ("alice@example.net@example.org", "it contains a character that addresses cannot have"),
    ("alice\\40example.net@example.org", "Natter will contact example.org"),
    ("d'artagnan@example.org", "Natter will contact example.org"),
    ("alice@example.org", "Natter will contact example.org"),
    ("alice@example.org/", "Natter will contact example.org"),
  ])
  func `the address is checked while it is typed`(typed: String, hint: String) {
    let model = model()
    model.form.fill("address", typed + "x")
    model.form.fill("address", typed)
    #expect(model.form["address"]?.hint == hint)
    #expect(model.form.text(of: "address") == typed)
  }

  @Test func `nothing is sent while the address is incomplete`() {
    let requests = Record<SignInRequest>()
    let model = filled(
      FakeSigning(onSignIn: { request, _ in requests.add(request) }), address: "alice")
    model.form.press("sign-in")
    #expect(model.attempt == nil)
    #expect(model.form.focus == "address")
    #expect(model.form["address"]?.error == localizer("address.missingSign"))
    #expect(requests.values.isEmpty)
  }

  @Test func `an empty password is asked for`() {
    let model = model()
    model.form.fill("address", "alice@example.org")
    model.form.press("sign-in")
    #expect(model.attempt == nil)
    #expect(model.form.focus == "password")
    #expect(model.form["password"]?.error == localizer("signin.passwordMissing"))
  }

  @Test func `signing in shows each step and then hands over the account`() async {
    let gate = Gate()
    let model = filled(
      FakeSigning(onSignIn: { _, progress in
        progress(.connecting(host: "xmpp.example.org"))
        await gate.wait()
        progress(.authenticating)
      }))
    var accounts: [Account] = []
    model.onSignedIn = { accounts.append($0) }
    model.form.confirm()
    #expect(model.form.isBusy)
    #expect(model.form.message?.lines.first == "Looking up example.org ...")
    #expect(
      await becomes { model.form.message?.lines.first == "Connecting to xmpp.example.org ..." })
    let attempt = model.attempt
    gate.open()
    await attempt?.ended()
    #expect(accounts.map(\.jid) == [JID(local: "alice", domain: "example.org")])
    #expect(model.form.text(of: "password").isEmpty)
    #expect(!model.form.isBusy)
    #expect(model.form.message == nil)
  }

  @Test func `esc stops the attempt at once and keeps what was typed`() async {
    let gate = Gate()
    let model = filled(FakeSigning(onSignIn: { _, _ in await gate.wait() }))
    var signedIn = 0
    var cancelled = 0
    model.onSignedIn = { _ in signedIn += 1 }
    model.onCancel = { cancelled += 1 }
    model.form.confirm()
    let attempt = model.attempt
    model.form.cancel()
    #expect(!model.form.isBusy)
    #expect(model.form.message == FormMessage(.info, ["Stopped. Nothing was changed."]))
    gate.open()
    await attempt?.ended()
    #expect(signedIn == 0)
    #expect(model.form.text(of: "address") == "alice@example.org")
    #expect(model.form.text(of: "password") == "secret")
    model.form.cancel()
    #expect(cancelled == 1)
    #expect(model.form.text(of: "password") == "secret")
  }

  @Test(arguments: [
    (ConnectionProblem.ProblemKind.wrongPassword, "password"), (.notAuthorized, "password"),
    (.credentialsExpired, "password"), (.unknownHost, "address"),
    (.serviceNotOffered, "address"), (.accountDisabled, "address"),
  ])
  func `a problem is shown under the field it belongs to`(
    kind: ConnectionProblem.ProblemKind, field: String
  ) async {
    let problem = ConnectionProblem(kind, host: "example.org", port: 5222)
    let model = filled(FakeSigning(onSignIn: { _, _ in throw problem }))
    model.form.confirm()
    await model.attempt?.ended()
    let text = ErrorText(problem, localizer: localizer)
    #expect(model.form[field]?.error == text.headline)
    #expect(model.form.focus == field)
    #expect(model.form.message?.level == .error)
    #expect(model.form.message?.lines.contains("Where: example.org, port 5222") == true)
    #expect(model.form.message?.lines.last == text.now)
    // The next typed text is not appended to a wrong password.
    #expect(model.form.text(of: "password") == (kind == .wrongPassword ? "" : "secret"))
  }

  private func help(_ signing: FakeSigning) async -> [Dialog.Line]? {
    var signing = signing
    signing.onSignIn = { _, _ in throw ConnectionProblem(.wrongPassword, host: "example.org") }
    let model = filled(signing)
    #expect(model.form["forgotten"]?.isHidden == true)
    model.form.confirm()
    await model.attempt?.ended()
    #expect(model.form["forgotten"]?.isHidden == false)
    model.form.press("forgotten")
    await model.attempt?.ended()
    #expect(!model.form.isBusy)
    return model.form.dialog?.lines
  }

  @Test func `a user who forgot the password is shown the server's page, its text and its people`()
    async
  {
    let lines = await help(
      FakeSigning(
        onForm: { _ in
          RegistrationForm(
            instructions: "Ask\u{1B}[2J us.", url: "https://example.org/reset")
        }, support: ["xmpp:help@example.org", "mailto:ab@example.org"]))
    #expect(
      lines == [
        .text("The server has a page for this. Open it in a browser:"),
        .text("https://example.org/reset"), .row("example.org says", "Ask [2J us."),
        .text("Only the operator of example.org can reset your password. Contact them here:"),
        .text("xmpp:help@example.org"), .text("mailto:ab@example.org"),
      ])
  }

  @Test func `a server of which nothing is known is to be asked elsewhere`() async {
    let lines = await help(
      FakeSigning(onForm: { _ in throw ConnectionProblem(.registrationRefused) }))
    #expect(lines == [.text(localizer("signin.forgottenAsk", ["host": "example.org"]))])
  }

  @Test func `a refused connection is shown at the form's edge, with host and port`() async {
    let problem = ConnectionProblem(
      .refused, host: "example.org", port: 5222, detail: "ECONNREFUSED")
    let model = filled(FakeSigning(onSignIn: { _, _ in throw problem }))
    model.form.confirm()
    await model.attempt?.ended()
    #expect(
      model.form.message?.lines == [
        "Connection refused.", "Where: example.org, port 5222", "Detail: ECONNREFUSED",
        "Nothing answers at example.org, port 5222: the server is down, or listens elsewhere.",
        "Try again later, or check server and port (Advanced, or --server HOST:PORT).",
      ])
  }

  @Test(arguments: [
    (ConnectionProblem.ProblemKind.tlsFailed, "TLS library: words"),
    (.authoritiesUnusable, "TLS library: words"), (.certificateExpired, "TLS library: words"),
    (.certificateOther, "TLS library: words"),
    (.notUnderstood, "protocol error: words"), (.serverError, "words"),
    (.wrongPassword, "server: words"), (.policyViolation, "server: words"),
  ])
  func `a text without a translation is shown after its source`(
    kind: ConnectionProblem.ProblemKind, detail: String
  ) {
    let problem = ConnectionProblem(kind, host: "example.org", detail: "words")
    #expect(ErrorText(problem, localizer: localizer).detail == detail)
  }

  @Test(
    arguments: ConnectionProblem.ProblemKind.allCases.filter {
      ConnectionProblem($0).concernsCertificate
    })
  func `a certificate problem has its own box without a way past it`(
    kind: ConnectionProblem.ProblemKind
  ) async {
    let problem = ConnectionProblem(kind, host: "example.org", port: 5223, detail: "error 18")
    let model = filled(FakeSigning(onSignIn: { _, _ in throw problem }))
    model.form.confirm()
    await model.attempt?.ended()
    let dialog = model.form.dialog
    // A date or a name is not mended by an authority.
    let isMendable = [.certificateUntrusted, .certificateSelfSigned].contains(kind)
    #expect(dialog?.buttons.map(\.id) == (isMendable ? ["back", "ca-file"] : ["back"]))
    #expect(dialog?.focusedButton?.id == "back")
    #expect(dialog?.lines.contains(.row("Server", "example.org, port 5223")) == true)
    #expect(dialog?.lines.contains(.row("Detail", "TLS library: error 18")) == true)
    model.form.dialog?.moveFocus(by: 1)
    model.form.pressDialog()
    #expect(model.form.dialog == nil)
    #expect((model.form.focus == "ca-file") == isMendable)
    #expect(model.form.isOn("advanced") == isMendable)
  }

  @Test func `what a server says is one line of bounded length`() async {
    let hostile =
      "no\r\n\u{1b}]0;owned\u{7}" + String(repeating: "x\n", count: 5000) + "e"
      + String(repeating: "\u{301}", count: 5000)
    let problem = ConnectionProblem(.serverError, host: "a\nb", detail: hostile)
    let model = filled(FakeSigning(onSignIn: { _, _ in throw problem }))
    model.form.confirm()
    await model.attempt?.ended()
    let lines = model.form.message?.lines ?? []
    #expect(lines.count == 5)
    #expect(lines.allSatisfy { !$0.contains("\n") && !$0.contains("\u{1b}") && $0.count < 260 })
  }

  @Test func `an error of the storage is shown too`() async {
    let model = filled(
      FakeSigning(onSignIn: { _, _ in
        throw NatterError(.storage, "error.storage.full", ["path": "/data"])
      }))
    model.form.confirm()
    await model.attempt?.ended()
    #expect(
      model.form.message?.lines.first?.hasPrefix("The disk is full. Free some space; ") == true)
  }

  @Test func `an account from the command line is filled in`() {
    let model = model(
      account: Account(
        jid: JID(local: "bob", domain: "example.net"), server: "h", port: 1, security: .direct,
        signsInAtStart: false))
    #expect(model.form.text(of: "address") == "bob@example.net")
    #expect(model.form.text(of: "server") == "h")
    #expect(model.form["security"]?.selectedWord == "direct TLS")
    #expect(model.form.isOn("advanced"))
    #expect(!model.form.isOn("at-start"))
    #expect(model.form.focus == "password")
  }

  @Test func `the button for a new account takes the address along`() {
    let model = model()
    var typed: [String] = []
    model.onNewAccount = { typed.append($0) }
    model.form.fill("address", "carol@")
    model.form.press("new-account")
    #expect(typed == ["carol@"])
  }

  @Test func `the built-in server can be tried from the form where that is offered`() {
    #expect(model().form["local"] == nil)
    let form = SignInViewModel(
      signing: FakeSigning(), localizer: localizer, offersBrowser: true, offersLocal: true)
    var tries = 0
    form.onLocal = { tries += 1 }
    form.form.press("local")
    #expect(tries == 1)
    #expect(form.form["local"]?.label == "Try it here")
    // Who was there already goes back.
    let again = SignInViewModel(
      signing: FakeSigning(), localizer: localizer, offersLocal: true,
      localAccount: JID(local: "me", domain: "localhost"))
    #expect(again.form["local"]?.label == "Open me@localhost")
    // Briefly how to go on, for help and out is shown on the smallest screen, too.
    let short = form.form.shownKeyHints { _ in false }
    #expect(
      short.suffix(2).map(\.text) == [
        localizer("signin.keysHelp"), localizer("signin.keysQuitShort"),
      ])
  }

  @Test func `why the form came up by itself stays while the password is typed`() async {
    let model = filled(
      FakeSigning(onSignIn: { _, _ in throw ConnectionProblem(.wrongPassword, host: "h") }))
    model.show(ConnectionProblem(.tokenRefused, host: "h"))
    model.form.fill("password", "other")
    let reason = ErrorText(ConnectionProblem(.tokenRefused, host: "h"), localizer: localizer)
    #expect(model.form.message?.lines == reason.lines)
    // The result of another attempt replaces it.
    model.form.confirm()
    await model.attempt?.ended()
    model.form.fill("password", "another")
    #expect(model.form.message == nil)
  }

  @Test func `typing anew takes the old error away, opening the server's fields does not`() async {
    let model = filled(
      FakeSigning(onSignIn: { _, _ in throw ConnectionProblem(.wrongPassword, host: "h") }))
    model.form.confirm()
    await model.attempt?.ended()
    let reported = model.form.message
    model.form.focus(on: "advanced")
    model.form.toggle()
    #expect(reported?.level == .error && model.form.message == reported)
    model.form.fill("password", "other")
    #expect(model.form["password"]?.error == nil)
    #expect(model.form.message == nil)
  }
}

import NatterCore
import Testing
import Text
import XMPP

@testable import ViewModels

/// The server that is given by hand.
extension SignInViewModelTests {
  @Test func `a server that was named is not looked up`() async {
    let gate = Gate()
    var start = Account(jid: JID(local: "nobody", domain: "localhost"))
    start.server = "chat.example.net"
    let model = SignInViewModel(
      signing: FakeSigning(onSignIn: { _, _ in await gate.wait() }), localizer: localizer,
      start: start)
    model.form.fill("address", "alice@example.org")
    model.form.fill("password", "secret")
    model.form.confirm()
    #expect(model.form.message?.lines.first == "Connecting to chat.example.net ...")
    gate.open()
    await model.attempt?.ended()
  }

  @Test(arguments: [
    ("127.0.0.1:15222", "", "127.0.0.1", 15222),
    (" chat.example.net:5299 ", "5222", "chat.example.net", 5299),
    ("[::1]:15222", "", "::1", 15222), ("::1", "5222", "::1", 5222),
    ("/run/chat.sock", "", "/run/chat.sock", nil),
  ])
  func `host and port may be in one field, and are put into theirs`(
    typed: String, portTyped: String, host: String, port: Int?
  ) async {
    let requests = Record<SignInRequest>()
    let model = filled(FakeSigning(onSignIn: { request, _ in requests.add(request) }))
    model.form.focus(on: "advanced")
    model.form.toggle()
    model.form.fill("server", typed)
    model.form.fill("port", portTyped)
    model.form.press("sign-in")
    await model.attempt?.ended()
    #expect(requests.values.first?.account.server == host)
    #expect(requests.values.first?.account.port == port)
    #expect(model.form.text(of: "server") == host)
    #expect(model.form.text(of: "port") == port.map(String.init) ?? "")
  }

  @Test(arguments: ["https://chat.example.net", "chat example", "alice@example.org", "host:0"])
  func `what is no server is said under its field, and nothing is sent`(typed: String) {
    let model = filled()
    model.form.focus(on: "advanced")
    model.form.toggle()
    model.form.fill("server", typed)
    model.form.press("sign-in")
    #expect(model.attempt == nil)
    #expect(model.form.focus == "server")
    #expect(model.form["server"]?.error == "Enter a host name, or host:port.")
  }

  @Test func `with a server given by hand, that field is the one to change`() async {
    let problem = ConnectionProblem(.unknownHost, host: "nowhere.invalid")
    let model = filled(FakeSigning(onSignIn: { _, _ in throw problem }))
    model.form.focus(on: "advanced")
    model.form.toggle()
    model.form.fill("server", "nowhere.invalid")
    model.form.press("sign-in")
    await model.attempt?.ended()
    #expect(model.form["server"]?.error == "The server's name is unknown.")
    #expect(model.form.focus == "server")
  }

  @Test func `without advanced settings the account is plain`() async {
    let requests = Record<SignInRequest>()
    let model = filled(FakeSigning(onSignIn: { request, _ in requests.add(request) }))
    model.form.focus(on: "remember")
    model.form.toggle()
    model.form.press("sign-in")
    await model.attempt?.ended()
    #expect(
      requests.values == [
        SignInRequest(
          account: Account(jid: JID(local: "alice", domain: "example.org")),
          credential: Credential(password: "secret"), remembersCredential: false)
      ])
  }

  @Test func `advanced settings go with the account`() async {
    let requests = Record<SignInRequest>()
    let model = filled(FakeSigning(onSignIn: { request, _ in requests.add(request) }))
    let form = model.form
    #expect(form["server"]?.isHidden == true)
    form.focus(on: "advanced")
    form.toggle()
    #expect(form["server"]?.isHidden == false)
    form.fill("server", " 10.0.0.1 ")
    form.fill("port", "15222")
    form.focus(on: "security")
    form.toggle()
    form.fill("ca-file", "ca.pem")
    form.press("sign-in")
    await model.attempt?.ended()
    #expect(
      requests.values.first?.account
        == Account(
          jid: JID(local: "alice", domain: "example.org"), server: "10.0.0.1", port: 15222,
          security: .startTLS, caFile: "/abs/ca.pem"))
  }

  @Test(arguments: ["0", "65536", "-1", "abc", "5222x"])
  func `a port that is none is refused under its field`(port: String) {
    let model = filled()
    model.form.focus(on: "advanced")
    model.form.toggle()
    model.form.fill("port", port)
    model.form.press("sign-in")
    #expect(model.attempt == nil)
    #expect(model.form["port"]?.error == localizer("signin.portInvalid"))
    #expect(model.form.focus == "port")
  }

  @Test func `a CA file that cannot be read is refused, with the part open`() {
    let model = filled()
    model.form.update("ca-file") { $0.text = "missing.txt" }
    model.form.press("sign-in")
    #expect(model.attempt == nil)
    #expect(model.form["ca-file"]?.error == localizer("signin.caFileUnreadable"))
    #expect(model.form.focus == "ca-file")
    #expect(model.form.isOn("advanced"))
  }

  @Test(arguments: [
    ("localhost", true), ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("[::1]", true),
    ("me.localhost", true), ("/run/socket", true), ("127.0.0.1.example.org", false),
    ("127.example.org", false), ("example.org", false), ("10.0.0.1", false), ("", false),
    ("localhost.example.org", false), ("127.0.0.256", false),
  ])
  func `without TLS only this machine is contacted`(host: String, isAllowed: Bool) {
    #expect(ConnectionFields.isLoopback(host) == isAllowed)
    let model = filled(FakeSigning(onSignIn: { _, _ in throw CancellationError() }))
    model.form.update("server") { $0.text = host }
    model.form.update("security") {
      $0.selected = Account.Security.allCases.firstIndex(of: .off) ?? 0
    }
    model.form.press("sign-in")
    #expect((model.attempt != nil) == isAllowed)
    #expect((model.form["security"]?.error != nil) == !isAllowed)
    model.stop()
  }
}

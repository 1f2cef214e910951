import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct InputViewModelTests {
  let ports = FakePorts(
    conversations: [
      Conversation(jid: .bob, lastActivity: .afternoon, draft: "half a"),
      Conversation(jid: .chloe),
    ],
    contacts: [Contact(jid: .bob, name: "Bob Martin"), Contact(jid: .zhang, name: "Zhang Wei")],
    now: .afternoon)
  let timers = ManualTimers()
  let now = ManualNow(.afternoon)

  func shell(_ actions: ShellActions = .forTests()) async -> ShellViewModel {
    let shell = ShellViewModel(ports, timers: timers, now: now, actions: actions)
    await shell.load()
    await shell.lifetime.settle()
    return shell
  }

  @Test func `each conversation has its own draft, and it comes back from the database`() async {
    let shell = await shell()
    #expect(shell.input.text == "half a")
    shell.type("half a word")
    shell.open(.chloe)
    #expect(shell.input.text == "")
    shell.type("to chloe")
    shell.open(.bob)
    #expect(shell.input.text == "half a word")
    #expect(shell.input.cursor == 11)
    await shell.lifetime.settle()
    #expect(await ports.drafts == [.bob: "half a word", .chloe: "to chloe"])
  }

  @Test func `a draft that another program stores is taken over where nothing is typed`() async {
    let shell = await shell()
    shell.open(.chloe)
    await shell.lifetime.settle()
    func stored(_ text: String, of jid: JID) async {
      guard let changed = await ports.setDraftAside(text, of: jid) else { return }
      shell.handle(.conversationsChanged([changed]))
      await shell.lifetime.settle()
    }
    await stored("from outside", of: .chloe)
    #expect(shell.input.text == "from outside")
    shell.type("from outside!")
    await stored("other", of: .chloe)
    #expect(shell.input.text == "from outside!")
    shell.open(.bob)
    shell.type("")
    shell.open(.chloe)
    await shell.lifetime.settle()
    // A conversation that was shown, and is not now.
    await stored("for later", of: .bob)
    #expect(shell.input.text == "from outside!")
    shell.open(.bob)
    #expect(shell.input.text == "for later")
    await shell.finish()
    #expect(await ports.conversation(.bob)?.draft == "for later")
  }

  @Test func `a change that is older than a sent message brings its draft not back`() async {
    let shell = await shell()
    shell.submit()
    shell.handle(
      .conversationsChanged([Conversation(jid: .bob, lastActivity: .afternoon, draft: "half a")]))
    await shell.lifetime.settle()
    #expect(shell.input.text == "")
  }

  @Test func `a draft is saved while the user types, not at every key`() async {
    let shell = await shell()
    for length in 1...20 { shell.type(String(repeating: "x", count: length)) }
    await shell.lifetime.settle()
    #expect(await ports.drafts.isEmpty)
    timers.fire()
    await shell.lifetime.settle()
    #expect(await ports.drafts == [.bob: String(repeating: "x", count: 20)])
    shell.type("")
    await shell.finish()
    #expect(await ports.drafts == [.bob: ""])
  }

  @Test func `a draft that cannot be saved is known, and saved as soon as that works`() async {
    let shell = await shell()
    await ports.fail("setDraft", with: NatterError(.storage, "error.storage.full"))
    shell.type("for bob")
    shell.open(.chloe)
    shell.type("for chloe")
    #expect(await shell.saveDrafts() == false)
    #expect(shell.input.text == "for chloe")
    // Nothing to lose there any more.
    shell.type("")
    #expect(await shell.saveDrafts() == false)
    await ports.fail("setDraft", with: nil)
    #expect(await shell.saveDrafts())
    #expect(await ports.drafts == [.bob: "for bob", .chloe: ""])
    shell.open(.bob)
    #expect(shell.input.text == "for bob")
  }

  @Test func `a draft that cannot be saved is tried again by itself, and the complaint goes then`()
    async
  {
    let shell = await shell()
    await ports.fail("setDraft", with: NatterError(.storage, "error.storage.full", ["path": "/d"]))
    shell.type("for bob")
    timers.fire()
    await shell.lifetime.settle()
    #expect(shell.status.message.text.contains("The disk is full"))
    timers.fire()
    await shell.lifetime.settle()
    #expect(shell.status.message.text.contains("The disk is full"))
    await ports.fail("setDraft", with: nil)
    timers.fire()
    await shell.lifetime.settle()
    #expect(await ports.drafts[.bob] == "for bob")
    #expect(shell.status.message.text.contains("your draft is saved"))
    #expect(shell.status.message.level == .info)
  }

  @Test
  func `storing at last replaces the complaint about it, and nothing else`()
    async
  {
    let shell = await shell()
    shell.handle(.notice(StatusNotice(.error, "error.storage.write")))
    shell.handle(.storageWorks)
    // Nobody was typing.
    #expect(shell.status.message.text == "Saving to the disk works again.")
    shell.handle(.notice(StatusNotice(.error, "error.noConversation")))
    let other = shell.status.message.text
    shell.handle(.storageWorks)
    #expect(shell.status.message.text == other && !other.isEmpty)
  }

  @Test func `enter sends, in order, and the draft goes after the message is stored`() async {
    let shell = await shell()
    shell.type("one")
    shell.submit()
    #expect(shell.input.text == "")
    shell.type("two  ")
    shell.submit()
    await shell.lifetime.settle()
    let calls = await ports.calls.filter { $0.hasPrefix("send") || $0.hasPrefix("setDraft") }
    #expect(
      calls == [
        "send bob@example.net one", "setDraft bob@example.net ", "send bob@example.net two",
        "setDraft bob@example.net ",
      ])
  }

  @Test func `a message that cannot be stored comes back into the input`() async {
    await ports.fail("send", with: NatterError(.storage, "error.storage"))
    let shell = await shell()
    shell.type("//precious")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.input.text == "//precious")
    #expect(shell.status.message.text == "the database cannot be read")
    #expect(shell.status.message.level == .error)
    #expect(await ports.drafts[.bob] == "//precious")
  }

  @Test func `a message that cannot be stored waits in its own conversation`() async {
    await ports.fail("send", with: NatterError(.storage, "error.storage"))
    let shell = await shell()
    shell.type("precious")
    shell.submit()
    shell.open(.chloe)
    await shell.lifetime.settle()
    #expect(shell.input.text == "")
    shell.open(.bob)
    #expect(shell.input.text == "precious")
  }

  @Test(arguments: [
    ("/jion", "Unknown command /jion. Did you mean /join? Enter runs it"),
    ("/hepl", "Unknown command /hepl. Did you mean /help? Enter runs it"),
    ("/quti now", "Unknown command /quti. Did you mean /quit? Enter runs it"),
    ("\n/quti now", "Unknown command /quti. Did you mean /quit? Enter runs it"),
    ("/", "Unknown command /. F1 lists them; // sends a slash."),
    ("/ hi", "Unknown command /. F1 lists them; // sends a slash."),
    ("/re", "/re is ambiguous: /remove, /retry, /reply, /react, /read, /redraw, /reload."),
    ("/msg", "Usage: /msg ADDRESS|NICK [TEXT]"),
    ("/chat", "Usage: /chat ADDRESS|NICK"), ("/quit now or later?", "Usage: /quit"),
    ("/logout second@example.org", "Usage: /logout"), ("/chats x", "Usage: /chats"),
    ("/chat a@b@c", "\"a@b@c\" is not an address. An address looks like name@server."),
    ("/chat nobody", "No contact is called \"nobody\". An address looks like name@server."),
    ("/sync never", "\"never\" is not valid: /sync stop stops refreshing, /sync alone starts it."),
    ("/status asleep", "\"asleep\" is not a status. Use online, away, xa, dnd (or busy) or chat."),
    ("/theme nigth", "Unknown theme \"nigth\". Available: ."),
  ])
  func `a command that is no good is not sent, and stays`(_ line: String, _ error: String) async {
    let shell = await shell()
    shell.type(line)
    shell.submit()
    #expect(shell.status.message.text == error)
    #expect(shell.input.text == line)
    await shell.lifetime.settle()
    #expect(await !ports.calls.contains { $0.hasPrefix("send") })
  }

  @Test(arguments: [
    ("//help is a command", "/help is a command"), (" /help", "/help"), ("a\nb", "a\nb"),
    ("\n//help", "/help"),
    ("/me waves", "/me waves"), ("/ME waves", "/me waves"),
    ("/msg bob hi  there", "hi  there"), ("/MSG XMPP:Bob@Example.NET hi", "hi"),
  ])
  func `what is sent is what was meant`(_ line: String, _ body: String) async {
    let shell = await shell()
    shell.type(line)
    shell.submit()
    await shell.lifetime.settle()
    #expect(await ports.calls.contains("send bob@example.net \(body)"))
    #expect(shell.input.text == "")
  }

  @Test(arguments: ["", "   ", "\n \n"])
  func `nothing is not sent`(_ text: String) async {
    let shell = await shell()
    shell.type(text)
    shell.submit()
    await shell.lifetime.settle()
    #expect(await !ports.calls.contains { $0.hasPrefix("send") })
  }

  @Test func `without a conversation a message stays and says what to do`() async {
    let shell = ShellViewModel(FakePorts(), timers: timers)
    await shell.load()
    shell.type("hello?")
    shell.submit()
    #expect(shell.input.text == "hello?")
    #expect(
      shell.status.message.text == "No conversation is open. /chat name@server opens one.")
  }

  @Test func `up and down go through what was typed, and back to what was being typed`() async {
    let shell = await shell()
    shell.type("first")
    shell.submit()
    shell.type("second")
    shell.submit()
    shell.type("third, half")
    #expect(shell.input.older())
    #expect(shell.input.text == "second")
    #expect(shell.input.older())
    #expect(shell.input.text == "first")
    #expect(!shell.input.older())
    #expect(shell.input.newer())
    #expect(shell.input.newer())
    #expect(shell.input.text == "third, half")
    #expect(!shell.input.newer())
    shell.open(.chloe)
    #expect(!shell.input.older())
    await shell.finish()
    #expect(await ports.history[.bob] == ["first", "second"])
  }

  @Test func `the history of earlier days is there`() async throws {
    try await ports.appendToInputHistory("yesterday's", of: .bob)
    let shell = await shell()
    #expect(shell.input.older())
    #expect(shell.input.text == "yesterday's")
  }

  @Test func `what ctrl-c clears can be had back`() async {
    let shell = await shell()
    shell.type("oh no")
    shell.interrupt()
    #expect(shell.input.text == "")
    shell.input.older()
    #expect(shell.input.text == "oh no")
  }

  @Test func `tab completes commands, and goes on through the candidates`() async {
    let shell = await shell()
    shell.type("/he")
    #expect(shell.input.complete())
    #expect(shell.input.text == "/help ")
    #expect(shell.input.completion == nil)
    shell.type("/re")
    shell.input.complete()
    #expect(shell.input.text == "/remove ")
    shell.input.complete()
    #expect(shell.input.text == "/retry ")
    shell.input.complete(backwards: true)
    shell.input.complete(backwards: true)
    #expect(shell.input.text == "/reload ")
    #expect(shell.input.completion?.items.count == 7)
    shell.type("/reload x")
    #expect(shell.input.completion == nil)
  }

  @Test(arguments: [
    ("/chat zh", "/chat zhang@example.net "), ("/msg Bo", "/msg bob@example.net "),
    ("/status aw", "/status away "), ("ask zh", "ask Zhang "), ("@bo", "@Bob "),
    ("/help conn", "/help connect "), ("/theme na", "/theme natter-night "),
    ("/status d", "/status dnd "), ("/sync s", "/sync stop "), ("/discover a", "/discover add "),
    ("/discover re", "/discover remove "), ("/help ke", "/help keys "),
    ("/help priv", "/help privacy "),
  ])
  func `tab completes arguments and names`(_ typed: String, _ completed: String) async {
    var actions = ShellActions.forTests()
    actions.themeNames = { ["natter-night", "day"] }
    let shell = await shell(actions)
    shell.type(typed)
    #expect(shell.input.complete())
    #expect(shell.input.text == completed)
  }

  @Test func `candidates that come a moment later are offered as well, unless the user types`()
    async
  {
    var (names, actions) = (["day"], ShellActions.forTests())
    actions.themeNames = { names }
    let shell = await shell(actions)
    let input = shell.input
    shell.type("/theme mi")
    #expect(!input.complete())
    names = ["day", "mine"]
    shell.candidatesChanged()
    #expect(input.text == "/theme mine " && input.completion == nil)
    // The existing one stays.
    shell.type("/theme ")
    input.complete()
    input.complete()
    #expect(input.text == "/theme mine ")
    names = ["day", "late", "mine"]
    shell.candidatesChanged()
    #expect(input.text == "/theme mine " && input.completion?.items.count == 3)
    // The same ones again change nothing, and neither do others once the list is closed or somebody
    // types.
    let revision = input.revision
    shell.candidatesChanged()
    #expect(input.endCompletion())
    names = []
    shell.candidatesChanged()
    shell.type("/theme l")
    names = ["late"]
    shell.candidatesChanged()
    #expect(input.text == "/theme l" && input.revision == revision)
  }

  @Test func `tab in the middle keeps what follows`() async {
    let shell = await shell()
    shell.input.textDidChange("/hel me", cursor: 4)
    shell.input.complete()
    #expect(shell.input.text == "/help me")
    #expect(shell.input.cursor == 5)
    shell.type("/unknown x")
    #expect(!shell.input.complete())
    shell.type("hello ")
    #expect(!shell.input.complete())
  }
}

import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// Keywords that notify: the command, the marks in messages, and the notifications.
@Suite struct NotifyWordTests {
  private static let den = JID(local: "den", domain: "rooms.example.org")

  private func shell(
    _ stored: String? = nil, _ messages: [Message] = [], actions: ShellActions = .forTests()
  ) async -> (shell: ShellViewModel, ports: FakePorts) {
    let ports = FakePorts(
      messages: messages,
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(2))])
    await ports.setPreferences(stored.map { [NotifyKeywords.key: $0] } ?? [:])
    let shell = ShellViewModel(ports, actions: actions)
    await shell.load()
    shell.open(.bob)
    await shell.lifetime.settle()
    return (shell, ports)
  }

  /// The parts of the newest message that are marked as mentions.
  private func marked(_ shell: ShellViewModel) -> [String] {
    let item = shell.timeline.items.last { $0.kind == .message }
    return (item?.spans ?? []).filter { $0.style.contains(.mention) }.map { String($0.text) }
  }

  @Test func `keywords are added, listed and removed, and kept for the account`() async {
    let (shell, ports) = await shell()
    await shell.enter("/notify word")
    #expect(shell.status.message.text.hasPrefix("No keywords notify you."))
    await shell.enter("/notify word add release  date")
    #expect(shell.status.message.text == "Messages with \"release date\" now notify you.")
    await shell.enter("/notify words ADD Zoë")
    #expect(await ports.preferences[NotifyKeywords.key] == "release date\nZoë")
    await shell.enter("/notify word add zoe")
    #expect(shell.status.message.text == "Messages with \"zoe\" notify you already.")
    await shell.enter("/notify word list")
    #expect(
      shell.status.message.text == "Messages with these keywords notify you: release date, Zoë")
    await shell.enter("/notify word remove ZOE")
    #expect(shell.status.message.text == "Messages with \"Zoë\" no longer notify you.")
    await shell.enter("/notify word remove release date")
    #expect(await ports.preferences[NotifyKeywords.key] == nil && shell.people.words.isEmpty)
  }

  @Test func `a list that is too long for the status line is a dialog, where Enter removes a word`()
    async throws
  {
    final class Shown { var choices: [ChoiceRequest] = [] }
    let shown = Shown()
    var actions = ShellActions.forTests()
    actions.choose = { shown.choices.append($0) }
    let (shell, _) = await shell(
      (0..<20).map { "word\($0)" }.joined(separator: "\n"), actions: actions)
    await shell.enter("/notify word list")
    let choice = try #require(shown.choices.first)
    #expect(choice.title == "Keywords that notify you" && choice.labels.count == 20)
    choice.onEnd(nil)
    #expect(shell.input.text.isEmpty)
    choice.onEnd(3)
    #expect(shell.input.text == "/notify word remove word3")
  }

  @Test(arguments: [
    ("/notify word add", "\"add\" is not known here."),
    ("/notify word list all", "\"list all\" is not known here."),
    ("/notify word rose", "\"rose\" is not known here."),
    ("/notify word remove tulip", "\"tulip\" is not among the keywords"),
    (
      "/notify word add " + String(repeating: "x", count: 101),
      "A keyword has at most 100 characters."
    ),
    ("/notify wordy", "\"wordy\" is not one of"),
  ])
  func `what is not valid changes nothing, and stays in the input`(
    line: String, reported: String
  ) async {
    let (shell, ports) = await shell("rose")
    await shell.enter(line)
    #expect(shell.status.message.text.hasPrefix(reported), "\(shell.status.message.text)")
    #expect(shell.input.text == line)
    #expect(await ports.preferences[NotifyKeywords.key] == "rose")
  }

  @Test func `a word has a character that can be found`() {
    var words = NotifyKeywords()
    #expect(throws: NatterError(.invalidInput, "error.notifyWordEmpty")) {
      _ = try NotifyWordRequest.add("\u{200B}").perform(on: &words)
    }
    #expect(words.isEmpty)
  }

  @Test func `the number of keywords is limited`() async {
    let all = (0..<NotifyKeywords.limit).map { "w\($0)" }.joined(separator: "\n")
    let (shell, ports) = await shell(all)
    await shell.enter("/notify word add rose")
    #expect(shell.status.message.text.hasPrefix("100 keywords notify you already."))
    #expect(await ports.preferences[NotifyKeywords.key] == all)
  }

  @Test func `a word is marked in messages of others, at once and after the next start`() async {
    let (shell, _) = await shell("rose", [message(1, "a Rosé, a rose and roses")])
    #expect(marked(shell) == ["Rosé", "rose"])
    await shell.enter("/notify word add roses")
    #expect(marked(shell) == ["Rosé", "rose", "roses"])
    await shell.enter("/notify word remove rose")
    #expect(marked(shell) == ["roses"])
    shell.handle(.messagesStored([message(2, "my roses", from: .alice, at: 1)]))
    #expect(marked(shell) == [])
  }

  @Test func `in a room nick and keywords are marked, but not in what the room says itself`()
    async throws
  {
    let (shell, _) = await shell("rose")
    shell.handle(.roomsChanged([Room(jid: Self.den, nick: "al", phase: .inside)]))
    let carol = try #require(Self.den.with(resource: "carol"))
    let text = "al: a rose"
    #expect(shell.people.mentionsUser(message(3, text, from: carol, in: Self.den)))
    #expect(shell.people.mentions(in: text, of: Self.den).map { text[$0] } == ["al", "rose"])
    let notice = message(4, "rose has left", from: Self.den, in: Self.den)
    #expect(!shell.people.mentionsUser(notice) && !shell.people.hasWord(notice))
  }

  @Test func `a word notifies in a room, and where only mentions do`() async throws {
    let (shell, _) = await shell("rose")
    let carol = try #require(Self.den.with(resource: "carol"))
    shell.handle(.roomsChanged([Room(jid: Self.den, nick: "al", phase: .inside)]))
    var (bells, reported) = (0, [String]())
    shell.onBell = { bells += 1 }
    shell.onNotify = { reported.append($0.text) }
    shell.handle(.messagesStored([message(5, "roses", from: carol, in: Self.den)]))
    #expect(bells == 0 && reported == [])
    shell.handle(.messagesStored([message(6, "the ROSE", from: carol, in: Self.den)]))
    #expect(bells == 1 && reported == ["the ROSE"])
  }

  @Test func `a word that cannot be stored is reported, and not used`() async {
    let (shell, ports) = await shell("rose")
    await ports.fail("setValue", with: NatterError(.storage, "error.storage"))
    await shell.enter("/notify word add tulip")
    #expect(shell.people.words.list == ["rose"])
    #expect(shell.status.message.level == .error)
  }

  @Test func `a word is used and reported once it is stored, beside those that are stored`() async {
    let (shell, ports) = await shell("rose")
    await ports.setPreferences([NotifyKeywords.key: "rose\nlily"])
    let added = "Messages with \"tulip\" now notify you."
    shell.type("/notify word add tulip")
    shell.submit()
    #expect(shell.people.words.list == ["rose"] && shell.status.message.text != added)
    await shell.lifetime.settle()
    #expect(shell.people.words.list == ["rose", "lily", "tulip"])
    #expect(shell.status.message.text == added)
    #expect(await ports.preferences[NotifyKeywords.key] == "rose\nlily\ntulip")
  }

  @Test func `the operations and the keywords are completed`() async {
    let (shell, _) = await shell("rose\nrelease")
    #expect(shell.candidates(for: .notification).contains { $0.text == "word" })
    #expect(shell.candidates(for: .notifyWords).map(\.text) == ["add", "remove", "list"])
    #expect(shell.candidates(for: .notifyWord).map(\.text) == ["rose", "release"])
  }
}

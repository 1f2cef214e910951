import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// Reacting to messages, and taking them back.
@Suite struct MessageEffectTests {
  private static let gone = Message(
    id: .init(4), conversation: .bob, sender: .alice, direction: .outgoing, body: "",
    sentAt: .minutes(3), originID: "o4", delivery: .sent, retraction: .author)

  private let ports = FakePorts(
    messages: [
      message(1, "Question"), message(2, "Answer", from: .alice, at: 1, delivery: .sent),
      message(3, "Thanks", at: 2), gone,
    ],
    conversations: [Conversation(jid: .bob, lastActivity: .minutes(4))])

  /// Answers every question with yes.
  private final class Asked {
    var questions: [String] = []
    var keys: [String] = []
    var list: PaletteViewModel?
  }
  private let asked = Asked()

  private func shell() async -> ShellViewModel {
    var actions = ShellActions.forTests()
    actions.confirm = { [asked] request in
      asked.questions.append(request.arguments["text"] ?? "")
      asked.keys.append(request.textKey)
      request.onAccept()
    }
    actions.showList = { [asked] in
      asked.list = $0
      $0.onRun = { $0.run() }
    }
    let shell = ShellViewModel(
      ports: .init(
        timeline: ports, conversations: ports, histories: ports, roster: ports,
        rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports,
        sender: ports, relating: ports),
      format: testFormat(), scheduler: ManualTimers().scheduler, actions: actions)
    await shell.load()
    await shell.finish()
    return shell
  }

  private func calls() async -> [String] {
    await ports.calls.filter { ["react", "retract"].contains($0.prefix { $0 != " " }) }
  }

  private func run(_ line: String, in shell: ShellViewModel) async {
    shell.input.textDidChange(line, cursor: line.utf8.count)
    shell.submit()
    await shell.finish()
  }

  @Test func `an emoji or its name reacts to the newest message that is there, or the chosen one`()
    async
  {
    let shell = await shell()
    await run("/react 👍", in: shell)
    await run("/react :+1:", in: shell)
    shell.timeline.select(.init(1))
    await run("/react thumbs up", in: shell)
    #expect(await calls() == ["react 3 👍", "react 3 👍", "react 1 👍"])
    await run("/react nonsense", in: shell)
    #expect(shell.status.message.text.contains("There is no emoji nonsense"))
    #expect(shell.input.text == "/react nonsense")
    shell.timeline.select(.init(4))
    await run("/react 👍", in: shell)
    #expect(await calls().count == 3)
  }

  @Test func `a key lists the emoji for the message that was chosen then`() async throws {
    let shell = await shell()
    shell.timeline.select(.init(2))
    shell.beginReaction()
    shell.timeline.select(nil)
    let list = try #require(asked.list)
    list.edit("party popper", cursor: 12)
    #expect(list.run())
    await shell.finish()
    #expect(await calls() == ["react 2 🎉"])
    #expect(shell.input.text.isEmpty)
  }

  @Test func `one's last message is taken back after a question, others' are not`() async {
    let shell = await shell()
    await run("/delete", in: shell)
    #expect(asked.questions == ["Answer"])
    #expect(await calls() == ["retract 2"])
    shell.timeline.select(.init(3))
    shell.beginDeletion()
    shell.timeline.select(.init(4))
    shell.beginDeletion()
    await shell.finish()
    #expect(await calls().count == 1 && asked.questions.count == 1)
    #expect(shell.status.message.text.contains("can't be deleted"))
  }

  @Test func `a pending message is not shown as seen by another user`() async {
    let edit = Message.Edit(originID: "o9")
    await ports.add([
      message(5, "not yet", from: .alice, at: 5, delivery: .queued),
      message(
        6, "better", from: .alice, at: 6, delivery: .queued, edit: edit, isFirstQueued: true),
      message(7, "said, and put better", from: .alice, at: 7, delivery: .queued, edit: edit),
    ])
    let shell = await shell()
    for id in [5, 6, 7, 2] {
      shell.timeline.select(.init(Int64(id)))
      await run("/delete", in: shell)
    }
    #expect(asked.questions == ["not yet", "better", "said, and put better", "Answer"])
    let (waiting, seen) = ("confirm.deleteWaiting", "confirm.delete")
    #expect(asked.keys == [waiting, waiting, seen, seen])
  }

  @Test func `what was taken back is not corrected, answered or copied`() async {
    let shell = await shell()
    shell.timeline.select(.init(4))
    func says(_ text: String) -> Bool {
      defer { shell.status.clear() }
      return shell.status.message.text.contains(text)
    }
    shell.beginEdit()
    shell.status.clear()
    shell.beginReply()
    #expect(shell.input.aim == nil && says("This message can't be replied to."))
    shell.beginReaction()
    #expect(says("You can't react to this message."))
    shell.copyMessage()
    #expect(says("This message was deleted."))
    MessageForwarding(shell: shell).begin()
    #expect(says("This message can't be forwarded."))
    shell.timeline.select(nil)
    shell.beginEdit()
    #expect(shell.input.text == "Answer")
  }

  @Test func `a message that came back empty is no news`() async {
    var bells = 0
    let shell = await shell()
    shell.onBell = { bells += 1 }
    shell.timeline.isAttended = false
    shell.handle(
      .messagesStored([
        Message(
          id: .init(9), conversation: .bob, sender: .bob, direction: .incoming, body: "",
          sentAt: .minutes(9), originID: "o9", retraction: .moderator)
      ]))
    #expect(bells == 0)
    #expect(!shell.timeline.items.contains { $0.kind == .new })
  }

  @Test(
    arguments: [
      ("👍", "👍"), (":thumbs_up:", "👍"), ("+1", "👍"), ("+1 ", nil), ("party popper", "🎉"),
      ("xyzzy", nil), ("7", nil), ("👍👍", nil), ("", nil), ("::", nil),
    ] as [(String, String?)]) func `an emoji is known by what it is called`(
      text: String, emoji: String?
    )
  {
    #expect(EmojiNames(tag: "en").emoji(from: text) == emoji)
  }

  @Test func `where there are too many to be named, the others are a number`() {
    let line = ReactionLine(
      [
        .init(sender: .bob, isOwn: false, emoji: ["👍"]),
        .init(sender: .alice, isOwn: true, emoji: ["❤\u{FE0F}"]),
      ],
      totals: [
        .init(emoji: "👍", people: 5000), .init(emoji: "🎉", people: 2),
        .init(emoji: "❤", people: 1),
      ], format: testFormat(), people: People())
    #expect(line.counts == "👍 5000  [❤️]  🎉 2")
    #expect(line.names == "👍 bob, and 4999 others  ❤️ you  🎉 and 2 others")
  }

  @Test func `those who feel the same are counted, and named`() {
    let line = ReactionLine(
      [
        .init(sender: .bob, isOwn: false, emoji: ["👍", "❤"]),
        .init(sender: .alice, isOwn: true, emoji: ["👍"]),
        .init(sender: .chloe, isOwn: false, emoji: ["❤\u{FE0F}", "🎉"]),
      ], format: testFormat(), people: People())
    #expect(line.counts == "[👍 2]  ❤ 2  🎉")
    #expect(line.names == "👍 bob, you  ❤ bob, chloe  🎉 chloe")
    let spelled = ItemFormat(
      localizer: testFormat().localizer, glyphs: .linear, account: .alice, spellsEmoji: true)
    let text = ReactionLine(
      [.init(sender: .bob, isOwn: false, emoji: ["👍", "🎉"])], format: spelled, people: People())
    #expect(text.counts == ":thumbs_up:  :tada:")
    #expect(text.names == ":thumbs_up: bob; :tada: bob")
  }
}

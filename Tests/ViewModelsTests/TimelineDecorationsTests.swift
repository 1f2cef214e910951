import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// What scripts have for the messages of a conversation.
@Suite struct TimelineDecorationsTests {
  private let scripts: FakeScripts
  private let center: ScriptCenter
  private let lifetime = Lifetime()

  init() {
    scripts = FakeScripts([.tickets()])
    center = ScriptCenter(scripts)
  }

  private func timeline(
    _ messages: Message..., format: ItemFormat = testFormat()
  ) async -> TimelineViewModel {
    await center.load()
    let timeline = TimelineViewModel(
      format: format, archive: FakePorts(messages: messages), scripts: center,
      lifetime: lifetime, now: { .minutes(60) })
    timeline.show(Conversation(jid: .bob))
    await lifetime.settle()
    return timeline
  }

  /// Draws all of it, as a pane does.
  private func draw(_ timeline: TimelineViewModel) async {
    timeline.drew(timeline.items[...])
    await lifetime.settle()
  }

  /// The messages that scripts were asked about.
  private func asked() async -> [[String]] {
    await scripts.decorated.map { $0.messages.map { "\($0.id.rawValue) \($0.body)" } }
  }

  private func notes(_ timeline: TimelineViewModel) -> [[String]] {
    timeline.items.filter { $0.kind == .message }.map(\.below.notes)
  }

  /// Has the centre take what scripts report.
  private func report(_ change: ScriptChange) async {
    await scripts.report(change)
    await scripts.end()
    await center.run()
  }

  @Test func `messages in sight are asked about once, and shown with what comes`() async throws {
    await scripts.mark(
      "see #12", MessageDecoration(spans: [.init(4..<7, .good)], notes: ["open"]))
    let timeline = await timeline(message(1, "see #12"), message(2, "plain", at: 1))
    #expect(await asked() == [])
    timeline.drew(timeline.items.prefix(2))
    await lifetime.settle()
    #expect(await asked() == [["1 see #12"]])
    #expect(notes(timeline) == [["open"], []])
    let spans = try #require(timeline.items.first { $0.kind == .message }).spans
    #expect(spans.map(\.text) == ["see ", "#12"])
    #expect(spans.last?.decoration?.role == .good)
    await draw(timeline)
    await draw(timeline)
    #expect(await asked() == [["1 see #12"], ["2 plain"]])
    let request = try #require(await scripts.decorated.first)
    #expect(request.account == .alice && request.conversation == .bob && request.kind == .direct)
  }

  @Test func `notes have the names of emoji for users who want that`() async {
    await scripts.mark("see #12", MessageDecoration(notes: ["👍 open"]))
    let format = ItemFormat(
      localizer: english(), glyphs: .ascii, account: .alice, spellsEmoji: true)
    let timeline = await timeline(message(1, "see #12"), format: format)
    await draw(timeline)
    #expect(notes(timeline) == [[":thumbs_up: open"]])
  }

  @Test func `a message without decoration is asked about again when it is shown again`() async {
    let timeline = await timeline(message(1, "one"), message(2, "two", at: 1))
    for _ in 0..<2 {
      timeline.drew(timeline.items.prefix(2))
      await lifetime.settle()
      timeline.drew(timeline.items.suffix(1))
      await lifetime.settle()
    }
    // What was asked before is no question to the script.
    #expect(await asked() == [["1 one"], ["2 two"], ["1 one"], ["2 two"]])
  }

  @Test func `a corrected message is asked about again, and shows nothing of before`() async {
    await scripts.mark("see #12", MessageDecoration(notes: ["open"]))
    let timeline = await timeline(message(1, "see #12"))
    await draw(timeline)
    timeline.handle(.messagesChanged([message(1, "see #13")]))
    #expect(notes(timeline) == [[]])
    await draw(timeline)
    #expect(await asked() == [["1 see #12"], ["1 see #13"]])
  }

  @Test func `what is no text of a person is not asked about`() async {
    let omemo = Message(
      id: .init(2), conversation: .bob, sender: .bob, direction: .incoming, body: "",
      sentAt: .minutes(1), originID: "o2",
      content: .encrypted(XEP0380Encryption(method: "eu.siacs.conversations.axolotl")))
    let long = String(repeating: "a", count: DecorationRequest.bodyLimit + 1)
    let timeline = await timeline(message(1, "text"), omemo, message(3, long, at: 2))
    await draw(timeline)
    #expect(await asked() == [["1 text"]])
  }

  @Test func `nothing is asked about where no script decorates`() async {
    await scripts.set([
      .tickets(in: BridgeScope(hasRooms: true)), .tickets(.off), .tickets(.changed), .greeter(),
    ])
    let timeline = await timeline(message(1, "see #12"))
    await draw(timeline)
    #expect(await asked() == [])
  }

  @Test func `what a script has no more is taken away`() async {
    await scripts.mark("see #12", MessageDecoration(notes: ["open"]))
    let timeline = await timeline(message(1, "see #12"))
    await draw(timeline)
    #expect(notes(timeline) == [["open"]])
    await scripts.mark("see #12", nil)
    await report(.decorations)
    await draw(timeline)
    #expect(await asked().count == 2)
    #expect(notes(timeline) == [[]])
  }

  @Test func `decorations go with the script`() async {
    await scripts.mark("see #12", MessageDecoration(notes: ["open"]))
    let timeline = await timeline(message(1, "see #12"))
    await draw(timeline)
    await scripts.set([.tickets(.off)])
    await report(.decorations)
    await draw(timeline)
    #expect(notes(timeline) == [[]])
    #expect(await asked().count == 1)
  }

  @Test func `notes are one safe line, and links only lead where those of messages do`() async {
    await scripts.mark(
      "one two",
      MessageDecoration(
        spans: [
          .init(0..<3, .good, link: "https://t.example/1"),
          .init(4..<7, .bad, link: "file:///etc/passwd"),
        ], notes: ["a\u{1B}[2J\nb", "\u{202E}"]))
    let timeline = await timeline(message(1, "one two"))
    await draw(timeline)
    #expect(
      notes(timeline).first?.allSatisfy { !$0.contains("\u{1B}") && !$0.contains("\n") } == true)
    let item = timeline.items.first { $0.kind == .message }
    #expect(item?.spans.compactMap(\.decoration).map(\.link) == ["https://t.example/1", nil])
    #expect(timeline.decorations.links(of: .init(1)) == ["https://t.example/1"])
  }
}

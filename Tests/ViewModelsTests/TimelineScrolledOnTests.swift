import ChatsFixtures
import NatterCore
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// The user scrolls while pages are being read.
@Suite struct TimelineScrolledOnTests {
  @Test func `the user scrolls up to what had come before while the rest is read, and stays there`()
    async
  {
    let lifetime = Lifetime()
    let all = (1...300).map { message(Int64($0), "text \($0)", at: Double($0)) }
    let ports = FakePorts(messages: Array(all[200...]))
    let (archive, history) = (HeldReading(ports), SlowHistory())
    let viewModel = await history.waitingTimeline(of: archive, lifetime)
    let kept = Array(all[..<50])
    await ports.add(kept + all[100..<200])
    viewModel.handle(.messagesStored(kept))
    viewModel.scroll(to: .init(message: .init(250), line: 0))
    archive.hold()
    history.answer()
    await archive.isAsked()
    let anchor = TimelineViewModel.Anchor(message: .init(40), line: 0)
    viewModel.scroll(to: anchor)
    archive.answer()
    await lifetime.settle()
    #expect(viewModel.anchor == anchor)
    let shown = viewModel.items.filter { $0.kind == .message }.map(\.body)
    #expect(shown.contains("text 40") && shown.contains("text 101"))
  }

  @Test func `the user scrolls on while messages that have moved away are read, and stays there`()
    async
  {
    let lifetime = Lifetime()
    let all = (1...300).map { message(Int64($0), "text \($0)", at: Double($0)) }
    let ports = FakePorts(messages: all)
    let archive = HeldReading(ports)
    let viewModel = TimelineViewModel(
      format: testFormat(), archive: archive, history: SlowHistory(), lifetime: lifetime,
      now: { .afternoon })
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.scroll(to: .init(message: .init(250), line: 0))
    archive.hold()
    // To their position in the archive's order, before what is loaded.
    viewModel.handle(
      .messagesChanged((250...260).map { message(Int64($0), "text \($0)", at: Double($0) - 200) }))
    await archive.isAsked()
    let anchor = TimelineViewModel.Anchor(message: .init(270), line: 0)
    viewModel.scroll(to: anchor)
    archive.answer()
    await lifetime.settle()
    #expect(viewModel.anchor == anchor)
    #expect(viewModel.items.contains { $0.body == "text 300" })
  }

  @Test(arguments: [100, nil] as [Int64?])
  func `the user scrolls on while an import has all read again, and stays there`(
    target: Int64?
  ) async {
    let lifetime = Lifetime()
    let all = (1...300).map { message(Int64($0), "text \($0)", at: Double($0)) }
    let archive = HeldReading(FakePorts(messages: all))
    let viewModel = TimelineViewModel(
      format: testFormat(), archive: archive, lifetime: lifetime, now: { .afternoon })
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    for _ in 1...3 {
      viewModel.loadOlder()
      await lifetime.settle()
    }
    viewModel.scroll(to: .init(message: .init(target == nil ? 100 : 280), line: 0))
    archive.hold()
    viewModel.handle(.historyImported([.bob]))
    await archive.isAsked()
    let anchor = target.map { TimelineViewModel.Anchor(message: .init($0), line: 0) }
    viewModel.scroll(to: anchor)
    archive.answer()
    await lifetime.settle()
    #expect(viewModel.anchor == anchor && viewModel.hasNewer == (target != nil))
    #expect(viewModel.items.contains { $0.body == "text \(target ?? 300)" })
  }
}

/// Messages whose next page comes when the test says so.
private final nonisolated class HeldReading: TimelineReading {
  private let ports: FakePorts
  private let isHeld = Mutex(false)
  private let asked = AsyncStream<Void>.makeStream()
  private let answered = AsyncStream<Void>.makeStream()

  init(_ ports: FakePorts) { self.ports = ports }

  func hold() { isHeld.withLock { $0 = true } }
  func isAsked() async { for await _ in asked.stream { return } }
  func answer() { answered.continuation.yield() }

  func messages(
    before position: MessagePosition, _ count: Int, in conversation: JID
  ) async throws -> [Message] {
    let waits = isHeld.withLock { isHeld in
      defer { isHeld = false }
      return isHeld
    }
    if waits {
      asked.continuation.yield()
      for await _ in answered.stream { break }
    }
    return try await ports.messages(before: position, count, in: conversation)
  }

  func latest(_ count: Int, in conversation: JID) async throws -> [Message] {
    try await ports.latest(count, in: conversation)
  }

  func messages(
    after position: MessagePosition, _ count: Int, in conversation: JID
  ) async throws -> [Message] {
    try await ports.messages(after: position, count, in: conversation)
  }

  func messages(
    inThread id: String, _ count: Int, in conversation: JID
  ) async throws -> [Message] {
    try await ports.messages(inThread: id, count, in: conversation)
  }

  func storedMessage(named id: String, in conversation: JID) async throws -> Message? {
    await ports.storedMessage(named: id, in: conversation)
  }

  func storedMessage(_ id: Message.ID) async throws -> Message? {
    await ports.storedMessage(id)
  }
}

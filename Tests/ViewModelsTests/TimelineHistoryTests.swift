import ChatsFixtures
import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// flows.md, "Receiving": what the database does not hold is fetched from the archive.
@Suite struct TimelineHistoryTests {
  let now = ManualNow(.afternoon)

  private func timeline(
    _ ports: FakePorts, _ history: ScriptedHistory, _ lifetime: Lifetime
  ) -> TimelineViewModel {
    TimelineViewModel(
      format: testFormat(), archive: ports, history: history, lifetime: lifetime,
      now: { now.date })
  }

  private func notices(_ viewModel: TimelineViewModel) -> [String] {
    viewModel.items.filter { $0.kind == .notice }.map(\.body)
  }

  @Test func `got rows? no: repull, once by itself and then with each page up`() async {
    let history = ScriptedHistory([.fetched, .offline, .beginning])
    let lifetime = Lifetime()
    let viewModel = timeline(FakePorts(messages: [message(1, "one")]), history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(history.calls == 1)
    viewModel.loadOlder()
    await lifetime.settle()
    #expect(history.calls == 2)
    #expect(notices(viewModel) == [Self.unanswered])
    viewModel.loadOlder()
    await lifetime.settle()
    #expect(notices(viewModel) == ["This is the beginning."])
    viewModel.loadOlder()
    await lifetime.settle()
    #expect(history.calls == 3)
  }

  private static let unanswered =
    "Older messages could not be loaded. PgUp tries again; once connected, they load automatically."

  @Test(arguments: [
    DomainEvent.connectionChanged(.online), .catchUpChanged(isRunning: false),
  ])
  func
    `that older messages are on their way is shown, and what could not be asked for is asked for again`(
      news: DomainEvent
    ) async
  {
    let history = ScriptedHistory([.fetched, .offline, .beginning])
    let lifetime = Lifetime()
    let viewModel = timeline(FakePorts(messages: [message(1, "one")]), history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.loadOlder()
    // First it is looked for in the database.
    while history.calls < 2, notices(viewModel) != ["Loading older messages ..."] {
      await Task.yield()
    }
    #expect(notices(viewModel) == ["Loading older messages ..."])
    await lifetime.settle()
    #expect(notices(viewModel) == [Self.unanswered])
    viewModel.handle(news)
    await lifetime.settle()
    #expect(history.calls == 3)
    #expect(notices(viewModel) == ["This is the beginning."])
    viewModel.handle(news)
    await lifetime.settle()
    #expect(history.calls == 3)
  }

  @Test func `beginning of the archive reached? yes: that is shown, and no server is asked again`()
    async
  {
    let history = ScriptedHistory([.beginning])
    let lifetime = Lifetime()
    let viewModel = timeline(FakePorts(messages: [message(1, "one")]), history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(history.calls == 1)
    viewModel.loadOlder()
    await lifetime.settle()
    #expect(notices(viewModel) == ["This is the beginning."])
    #expect(history.calls == 1)
    #expect(viewModel.items.filter { $0.kind == .message }.map(\.body) == ["one"])
  }

  @Test func `what had no answer before the session is requested again when it comes into view`()
    async
  {
    let history = ScriptedHistory([.offline, .beginning])
    let lifetime = Lifetime()
    let messages = [message(1, "one", at: 1), message(2, "two", at: 2)]
    let viewModel = timeline(FakePorts(messages: messages), history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(history.calls == 1 && notices(viewModel).isEmpty)
    viewModel.scroll(to: .init(message: Message.ID(1), line: 0))
    await lifetime.settle()
    #expect(history.calls == 2)
    #expect(notices(viewModel) == ["This is the beginning."])
  }

  @Test func `got rows? yes, hole? no: they are shown, and no server is asked`() async {
    let history = ScriptedHistory([.offline])
    let lifetime = Lifetime()
    let messages = (1...200).map { message(Int64($0), "text \($0)", at: Double($0)) }
    let viewModel = timeline(FakePorts(messages: messages), history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    for count in [120, 180] {
      viewModel.loadOlder()
      await lifetime.settle()
      let shown = viewModel.items.filter { $0.kind == .message }.map(\.body)
      #expect(shown == (201 - count...200).map { "text \($0)" })
    }
    #expect(history.calls == 0)
  }

  @Test func `what is cleared is off the view, and back with a page up`() async {
    let lifetime = Lifetime()
    let messages = (1...3).map { message(Int64($0), "text \($0)", at: Double($0)) }
    let viewModel = timeline(FakePorts(messages: messages), ScriptedHistory([.offline]), lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.clear()
    #expect(viewModel.items.isEmpty)
    // Neither what was on its way nor older history fills it again; what is new is shown.
    viewModel.handle(.historyStored([message(1, "text 1", at: 1)]))
    await lifetime.settle()
    #expect(viewModel.items.isEmpty)
    viewModel.handle(.messagesStored([message(4, "text 4", at: 4)]))
    func shown() -> [String] { viewModel.items.filter { $0.kind == .message }.map(\.body) }
    #expect(shown() == ["text 4"])
    viewModel.loadOlder()
    await lifetime.settle()
    #expect(shown() == (1...4).map { "text \($0)" })
    viewModel.clear()
    viewModel.loadOlder()
    await lifetime.settle()
    #expect(shown() == (1...3).map { "text \($0)" })
  }

  @Test(arguments: [3, 70]) func `what could not be sent stays when the rest is cleared`(count: Int)
    async
  {
    let lifetime = Lifetime()
    var messages = (1...count).map { message(Int64($0), "text \($0)", at: Double($0)) }
    messages[1] = message(2, "text 2", from: .alice, at: 2, delivery: .failed(reason: "no"))
    let viewModel = timeline(FakePorts(messages: messages), ScriptedHistory([.offline]), lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    if count > 60 {
      viewModel.loadOlder()
      await lifetime.settle()
    }
    func shown() -> [String] { viewModel.items.filter { $0.kind == .message }.map(\.body) }
    viewModel.clear()
    #expect(shown() == ["text 2"])
    #expect(viewModel.failedMessages.map(\.body) == ["text 2"])
    viewModel.handle(.messagesStored([message(100, "later", at: 100)]))
    #expect(shown() == ["text 2", "later"])
    // Nothing is left out between the two when the rest comes back.
    for _ in 0..<3 {
      viewModel.loadOlder()
      await lifetime.settle()
    }
    #expect(shown() == (1...count).map { "text \($0)" } + ["later"])
  }

  @Test(arguments: [false, true])
  func `what the server had kept comes while older is fetched: nothing between is left out`(
    isBeingRead: Bool
  ) async {
    let lifetime = Lifetime()
    let all = (1...300).map { message(Int64($0), "text \($0)", at: Double($0)) }
    let ports = FakePorts(messages: Array(all[200...]))
    let history = SlowHistory()
    // What the database has begins with 201; the archive is asked for more.
    let viewModel = await history.waitingTimeline(of: ports, lifetime)
    let kept = Array(all[..<50])
    await ports.add(kept + all[100..<200])
    viewModel.handle(.messagesStored(kept))
    let anchor = TimelineViewModel.Anchor(message: .init(40), line: 0)
    if isBeingRead { viewModel.scroll(to: anchor) }
    history.answer()
    await lifetime.settle()
    func shown() -> [String] { viewModel.items.filter { $0.kind == .message }.map(\.body) }
    if isBeingRead {
      // The user stays where they are.
      #expect(viewModel.anchor == anchor)
    } else {
      #expect(shown() == (141...300).map { "text \($0)" })
      viewModel.loadOlder()
      await lifetime.settle()
    }
    let whole = Array(31...50) + Array(101...300)
    #expect(shown().suffix(220) == whole.map { "text \($0)" })
  }

  @Test func `pages that are read at once have older ones behind them unless the last is short`() {
    func hasOlder(_ count: Int) -> Bool {
      var window = TimelineWindow()
      window.prepend(
        (0..<count).map { message(Int64($0) + 1, "text", at: Double($0)) }, announced: [:])
      return window.hasOlder
    }
    let size = TimelineWindow.pageSize
    #expect(hasOlder(size) && hasOlder(2 * size))
    #expect(!hasOlder(0) && !hasOlder(size - 1) && !hasOlder(2 * size - 1))
  }

  @Test(arguments: [TimelineWindow.pageSize, 2])
  func `what arrives below the oldest page while that is read is not left out`(count: Int) {
    var window = TimelineWindow()
    window.replace(with: [message(900, "newest", at: 900)], hasOlder: true, hasNewer: false)
    let late = message(901, "late", at: 0)
    let page = (1...count).map { message(Int64($0), "text", at: Double($0)) }
    window.prepend(page, announced: [late.id: late])
    // After a full page, the next one has it.
    #expect(window.hasOlder == (count > 2))
    #expect((window.messages.first?.id == late.id) == (count == 2))
    #expect(window.messages.count == count + (count == 2 ? 2 : 1))
  }

  @Test func `a reaction that changes while a page is read gets no row`() {
    let reaction = Message(
      id: .init(3), conversation: .bob, sender: .alice, direction: .outgoing, body: "👍",
      sentAt: .minutes(3), originID: "3", delivery: .sent, replaces: "1", effect: .reaction)
    let page = [message(1, "one", at: 1), message(2, "two", at: 2)]
    var window = TimelineWindow()
    window.replace(withLatest: page, announced: [reaction.id: reaction])
    #expect(window.messages == page)
    window.replace(with: page, hasOlder: false, hasNewer: true)
    window.append([], announced: [reaction.id: reaction])
    #expect(window.messages == page)
  }

  @Test func `a message that names another sender's message as replaced gets a row`() {
    let first = message(1, "one", at: 1)
    let forged = Message(
      id: .init(2), conversation: .bob, sender: .bob, direction: .incoming, body: "forged",
      sentAt: .minutes(2), originID: "2", replaces: "1")
    let correction = Message(
      id: .init(3), conversation: .bob, sender: .bob, direction: .incoming, body: "two",
      sentAt: .minutes(3), originID: "3", replaces: "2", isCorrection: true)
    var window = TimelineWindow()
    window.replace(withLatest: [first], announced: [:])
    window.merge([forged, correction])
    #expect(window.messages == [first, forged])
  }

  @Test func `when the last message was at the top and is removed, the view is at its end`() async {
    let lifetime = Lifetime()
    let messages = [message(1, "one", at: 1), message(2, "two", at: 2), message(3, "three", at: 3)]
    let viewModel = timeline(FakePorts(messages: messages), ScriptedHistory([.offline]), lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.scroll(to: .init(message: .init(2), line: 0))
    viewModel.handle(.messagesRemoved(conversation: .bob, [.init(2)]))
    #expect(viewModel.anchor == .init(message: .init(3), line: 0))
    viewModel.handle(.messagesRemoved(conversation: .bob, [.init(3)]))
    #expect(viewModel.anchor == nil)
  }

  @Test func `at its end after a removal, the view counts nothing below, and is read`() async {
    let lifetime = Lifetime()
    let viewModel = timeline(
      FakePorts(messages: [message(1, "one", at: 1)]), ScriptedHistory([.offline]), lifetime)
    var (seen, counts): ([JID], [Int]) = ([], [])
    viewModel.onSeen = { seen.append($0) }
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.scroll(to: .init(message: .init(1), line: 0))
    viewModel.onScroll = { [unowned viewModel] in counts.append(viewModel.newBelow) }
    viewModel.handle(.messagesStored([message(2, "two", at: 2)]))
    viewModel.handle(.conversationsChanged([Conversation(jid: .bob, unread: 1)]))
    #expect(counts == [1] && seen.isEmpty)
    viewModel.handle(.messagesRemoved(conversation: .bob, [.init(1), .init(2)]))
    #expect(viewModel.anchor == nil && viewModel.newBelow == 0)
    #expect(counts == [1, 0] && seen == [.bob])
  }

  @Test func `a view with newer messages to load keeps a position when its last one is removed`() {
    var window = TimelineWindow()
    let page = [message(1, "one", at: 1), message(2, "two", at: 2)]
    window.replace(with: page, hasOlder: false, hasNewer: true)
    window.remove([.init(2)])
    #expect(window.next(to: .init(2), among: page) == .init(1))
    window.replace(with: page, hasOlder: false, hasNewer: false)
    window.remove([.init(2)])
    #expect(window.next(to: .init(2), among: page) == nil)
  }

  @Test func `history that is announced is no news`() async {
    let history = ScriptedHistory([.offline])
    let lifetime = Lifetime()
    let viewModel = timeline(FakePorts(messages: [message(1, "one", at: 5)]), history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.scroll(to: .init(message: .init(1), line: 0))
    viewModel.handle(.historyStored([message(2, "older", at: 1), message(3, "newer", at: 9)]))
    #expect(viewModel.newBelow == 0)
    #expect(viewModel.items.filter { $0.kind == .message }.map(\.body) == ["one", "newer"])
    #expect(!viewModel.items.contains { $0.kind == .new })
  }

  @Test func `what moves to its position in the archive leaves a view that ends before it`() {
    var window = TimelineWindow()
    window.replace(
      with: (10...20).map { message(Int64($0), "text \($0)", at: Double($0)) }, hasOlder: true,
      hasNewer: false)
    let gone = window.change([
      message(15, "text 15", at: 5), message(16, "text 16", at: 30),
      // One of those that are not here comes among them, the other stays where it is not seen.
      message(3, "text 3", at: 12.5), message(4, "text 4", at: 6),
    ])
    #expect(gone == [.init(15)])
    #expect(window.messages.map(\.id.rawValue) == [10, 11, 12, 3, 13, 14, 17, 18, 19, 20, 16])
    // One that was beyond the end comes in by itself: nobody who is here has to move for it.
    #expect(window.change([message(5, "text 5", at: 18), message(6, "text 6", at: 3)]).isEmpty)
    #expect(window.messages.map(\.id.rawValue) == [10, 11, 12, 3, 13, 14, 17, 5, 18, 19, 20, 16])
  }

  @Test(arguments: [false, true])
  func `when all that is shown moves away, what is there now is read`(isScrolled: Bool) async {
    let lifetime = Lifetime()
    let messages = (1...200).map { message(Int64($0), "text \($0)", at: Double($0)) }
    let viewModel = timeline(FakePorts(messages: messages), ScriptedHistory([.offline]), lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    let anchor = TimelineViewModel.Anchor(message: .init(150), line: 0)
    if isScrolled { viewModel.scroll(to: anchor) }
    viewModel.handle(
      .messagesChanged(
        (141...200).map { message(Int64($0), "text \($0)", at: Double($0) - 1000) }))
    #expect(!viewModel.items.contains { $0.kind == .message })
    await lifetime.settle()
    let shown = viewModel.items.filter { $0.kind == .message }.map(\.body)
    #expect(shown.contains("text 150") && shown.contains("text 180"))
    #expect(viewModel.anchor == (isScrolled ? anchor : nil))
  }
}

/// History as the test says, one outcome a call, the last one for ever.
private final nonisolated class ScriptedHistory: HistoryFetching {
  private let state: Mutex<(outcomes: [HistoryOutcome], calls: Int)>

  init(_ outcomes: [HistoryOutcome]) { state = Mutex((outcomes, 0)) }

  var calls: Int { state.withLock { $0.calls } }

  func holes(in conversation: JID) -> [HistoryHole] { [] }
  func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole { hole }
  func fetchMissing(in hole: HistoryHole, of conversation: JID) -> HistoryOutcome { .beginning }

  func fetchOlder(in conversation: JID) async throws -> HistoryOutcome {
    state.withLock { state in
      state.calls += 1
      return state.outcomes.count > 1 ? state.outcomes.removeFirst() : state.outcomes[0]
    }
  }
}

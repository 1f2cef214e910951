import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// flows.md, "Receiving": what is missing is shown as missing, and fetched.
@Suite struct TimelineHolesTests {
  let now = ManualNow(.afternoon)

  /// Messages 1 to 10 and 31 to 40 are here, a minute apart; the archive has the rest.
  private func gapped(pageSize: Int = 10) async -> (FakePorts, GappedHistory) {
    let ports = FakePorts(messages: (1...10).map(Self.numbered) + (31...40).map(Self.numbered))
    return (ports, GappedHistory(ports, missing: (11...30).map(Self.numbered), pageSize: pageSize))
  }

  private static func numbered(_ number: Int) -> Message {
    message(Int64(number), "text \(number)", at: Double(number))
  }

  private func timeline(_ ports: FakePorts, _ history: GappedHistory, _ lifetime: Lifetime)
    -> TimelineViewModel
  {
    TimelineViewModel(
      format: testFormat(), archive: ports, history: history, lifetime: lifetime,
      now: { now.date })
  }

  private func bodies(_ viewModel: TimelineViewModel) -> [String] {
    viewModel.items.filter { $0.kind != .day && $0.kind != .notice }.map(\.body)
  }

  @Test
  func
    `newest page, hole inside it? yes: the line is shown and the hole repulled until it is gone`()
    async
  {
    let (ports, history) = await gapped()
    let gate = Gate()
    await history.hold(gate)
    let lifetime = Lifetime()
    let viewModel = timeline(ports, history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    // The archive has not answered yet.
    let line = "Messages are missing here; Enter loads them."
    let shown = (1...10).map { "text \($0)" } + [line] + (31...40).map { "text \($0)" }
    #expect(await becomes { bodies(viewModel) == shown }, "\(bodies(viewModel))")
    gate.open()
    await lifetime.settle()
    #expect(bodies(viewModel) == (1...40).map { "text \($0)" })
    #expect(await history.fetches == 2)
  }

  @Test func `hole inside it? no: nothing is repulled`() async {
    let ports = FakePorts(messages: (1...40).map(Self.numbered))
    let history = GappedHistory(ports, missing: [], pageSize: 10)
    let lifetime = Lifetime()
    let viewModel = timeline(ports, history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(await history.fetches == 0)
    #expect(bodies(viewModel).count == 40)
  }

  @Test
  func `offline the line stays between the two, and Enter or the connection loads what is missing`()
    async
  {
    let (ports, history) = await gapped()
    await history.set(isOnline: false)
    let lifetime = Lifetime()
    let viewModel = timeline(ports, history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    let line = "Messages are missing here; Enter loads them."
    #expect(
      bodies(viewModel) == (1...10).map { "text \($0)" } + [line] + (31...40).map { "text \($0)" })
    // Asked once, not without end.
    #expect(await history.fetches == 1)
    viewModel.loadMissing()
    await lifetime.settle()
    #expect(await history.fetches == 2)
    await history.set(isOnline: true)
    viewModel.handle(.connectionChanged(.online))
    await lifetime.settle()
    #expect(bodies(viewModel) == (1...40).map { "text \($0)" })
  }

  @Test func `how many are missing is shown where it is known`() async {
    let (ports, history) = await gapped(pageSize: 5)
    await history.set(limit: 1)
    let lifetime = Lifetime()
    let viewModel = timeline(ports, history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(bodies(viewModel).contains("About 15 messages missing; Enter loads them."))
    #expect(!bodies(viewModel).contains("text 25"))
    // Without a connection it is what it was.
    await history.set(isOnline: false)
    viewModel.loadMissing()
    await lifetime.settle()
    #expect(await history.fetches == 3)
    #expect(bodies(viewModel).contains("About 15 messages missing; Enter loads them."))
  }

  @Test func `got rows? yes, hole? yes: it is repulled, and what is being read stays`() async {
    // More than a page on the newer side.
    let newer = (200...280).map(Self.numbered)
    let ports = FakePorts(messages: (1...50).map(Self.numbered) + newer)
    let history = GappedHistory(ports, missing: (51...199).map(Self.numbered), pageSize: 30)
    let lifetime = Lifetime()
    let viewModel = timeline(ports, history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(await history.fetches == 0)
    viewModel.scroll(to: .init(message: .init(230), line: 0))
    viewModel.loadOlder()
    await lifetime.settle()
    #expect(viewModel.anchor?.message == .init(230))
    #expect(bodies(viewModel) == (12...280).map { "text \($0)" })
  }

  @Test func `a server's page that is longer than the list's is shown whole`() async {
    let ports = FakePorts(messages: (1...10).map(Self.numbered) + (141...150).map(Self.numbered))
    let history = GappedHistory(ports, missing: (11...140).map(Self.numbered), pageSize: 100)
    let lifetime = Lifetime()
    let viewModel = timeline(ports, history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(await history.fetches == 2)
    #expect(bodies(viewModel) == (1...150).map { "text \($0)" })
  }

  @Test func `the background fills a hole of the open conversation`() async {
    let (ports, history) = await gapped()
    await history.set(isOnline: false)
    let lifetime = Lifetime()
    let viewModel = timeline(ports, history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    let missing = await history.fill()
    await ports.add(missing)
    viewModel.handle(.historyStored(missing))
    viewModel.handle(.archiveChanged(.alice))
    await lifetime.settle()
    #expect(bodies(viewModel) == (1...40).map { "text \($0)" })
  }

  @Test
  func `a hole with nothing known before it is a line at the top, and comes before older history`()
    async
  {
    let ports = FakePorts(messages: (31...40).map(Self.numbered))
    let history = GappedHistory(
      ports, missing: (11...30).map(Self.numbered), pageSize: 10, after: .minutes(10))
    await history.set(isOnline: false)
    let lifetime = Lifetime()
    let viewModel = timeline(ports, history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(bodies(viewModel).first == "Messages are missing here; Enter loads them.")
    await history.set(isOnline: true)
    viewModel.loadMissing()
    await lifetime.settle()
    #expect(bodies(viewModel) == (11...40).map { "text \($0)" })
  }
}

/// A conversation with one hole, which it fills from its newer side.
private actor GappedHistory: HistoryFetching {
  private let ports: FakePorts
  private var missing: [Message]
  private let pageSize: Int
  private let after: Date?
  private var isOnline = true
  private var limit = Int.max
  private var gate: Gate?
  var fetches = 0

  init(_ ports: FakePorts, missing: [Message], pageSize: Int, after: Date? = nil) {
    self.ports = ports
    self.missing = missing
    self.pageSize = pageSize
    self.after = after ?? missing.first?.sentAt.addingTimeInterval(-60)
  }

  func set(isOnline: Bool) { self.isOnline = isOnline }
  func set(limit: Int) { self.limit = limit }
  /// No fetch is answered before `gate` is open.
  func hold(_ gate: Gate) { self.gate = gate }
  func fill() -> [Message] {
    defer { missing = [] }
    return missing
  }

  func fetchOlder(in conversation: JID) -> HistoryOutcome { isOnline ? .beginning : .offline }

  func holes(in conversation: JID) -> [HistoryHole] {
    guard let after, let last = missing.last else { return [] }
    return [HistoryHole(after: after, before: last.sentAt.addingTimeInterval(60))]
  }

  func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole {
    isOnline ? HistoryHole(after: hole.after, before: hole.before, count: missing.count) : hole
  }

  func fetchMissing(in hole: HistoryHole, of conversation: JID) async -> HistoryOutcome {
    fetches += 1
    await gate?.wait()
    guard isOnline, fetches <= limit else { return .offline }
    await ports.add(missing.suffix(pageSize))
    missing.removeLast(min(pageSize, missing.count))
    return .fetched
  }
}

import ChatsFixtures
import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// A room that does not give its history: the conversation says so where it is missing, and when
/// the room is asked again.
@Suite struct TimelineRefusalTests {
  private static func numbered(_ number: Int) -> Message {
    message(Int64(number), "text \(number)", at: Double(number))
  }

  private func bodies(_ viewModel: TimelineViewModel) -> [String] { viewModel.items.map(\.body) }

  private func timeline(_ ports: FakePorts, _ history: RefusedHistory, _ lifetime: Lifetime)
    -> TimelineViewModel
  {
    TimelineViewModel(
      format: testFormat(), archive: ports, history: history, lifetime: lifetime,
      now: { .afternoon })
  }

  @Test func `a gap shows what is missing, why, and when it is asked for again`() async {
    let history = RefusedHistory(
      HistoryRefusal(.forbidden), holes: [.init(after: .minutes(10), before: .minutes(20))])
    let lifetime = Lifetime()
    let viewModel = timeline(
      FakePorts(messages: (1...10).map(Self.numbered) + [Self.numbered(20)]), history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    let line =
      "Messages may be missing here: the room does not let you read its history. "
      + "Natter asks again when you join or open the room; Enter asks now."
    #expect(
      bodies(viewModel).filter { !$0.hasPrefix("text") && $0.contains("may be missing") } == [line])
    #expect(bodies(viewModel).last == "text 20")
    #expect(viewModel.items.last { $0.kind == .hole }?.body == line)
    #expect(await history.asked == 1)
    // Enter asks now, and so does opening it again.
    viewModel.loadMissing()
    await lifetime.settle()
    #expect(await history.asked == 2)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(await history.asked == 3)
  }

  @Test func `where nothing is said yet after what is missing, the line is the last`() async {
    let history = RefusedHistory(
      HistoryRefusal(
        .other, reason: "come\nback later", speaker: JID(local: "den", domain: "rooms.example.org")),
      holes: [.init(after: .minutes(10), before: .minutes(20))])
    let lifetime = Lifetime()
    let viewModel = timeline(
      FakePorts(messages: (1...10).map(Self.numbered)), history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    let last = bodies(viewModel).last ?? ""
    #expect(
      last.contains(
        #"the room does not provide its history: den@rooms.example.org says: "come back later"."#))
  }

  @Test func `what is older than all that is here is not called the beginning`() async {
    let history = RefusedHistory(HistoryRefusal(.absent), holes: [])
    let lifetime = Lifetime()
    let viewModel = timeline(
      FakePorts(messages: (1...10).map(Self.numbered)), history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.loadOlder()
    await lifetime.settle()
    let line =
      "Earlier messages are not available: the room has no readable history. "
      + "Natter asks again when you join or open the room."
    #expect(bodies(viewModel).first == line)
    #expect(!bodies(viewModel).contains("This is the beginning."))
    #expect(await history.askedOlder == 1)
    viewModel.handle(.connectionChanged(.online))
    viewModel.loadOlder()
    await lifetime.settle()
    #expect(await history.askedOlder == 2)
  }
}

/// A room that refuses its archive.
private actor RefusedHistory: HistoryFetching {
  private let refusal: HistoryRefusal
  private let missing: [HistoryHole]
  private(set) var asked = 0
  private(set) var askedOlder = 0

  init(_ refusal: HistoryRefusal, holes: [HistoryHole]) {
    self.refusal = refusal
    missing = holes
  }

  func fetchOlder(in conversation: JID) -> HistoryOutcome {
    askedOlder += 1
    return .refused(refusal)
  }
  func holes(in conversation: JID) -> [HistoryHole] { missing }
  func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole { hole }
  func fetchMissing(in hole: HistoryHole, of conversation: JID) -> HistoryOutcome {
    asked += 1
    return .refused(refusal)
  }
}

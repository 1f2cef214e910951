import NatterCore
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// How a script is asked about the messages on the screen.
@Suite(.timeLimit(.minutes(1))) struct ScriptDecorationsTests {
  private static let me = JID(local: "me", domain: "example.org")
  private static let bob = JID(local: "bob", domain: "example.org")

  /// A script that answers when the test says so.
  private final class Fixture: Sendable {
    let clock = ManualClock()
    let batches = Observed<[DecorationRequest]>([])
    /// The number of batches that may be answered.
    let open = Observed(0)
    let news = Observed(0)
    let isAllowed = Observed(true)
    let isAsked = Observed(true)
    let decorations: ScriptDecorations

    init(open count: Int = .max) {
      open.update { $0 = count }
      let (clock, batches, open, news) = (clock, batches, open, news)
      let (isAllowed, isAsked) = (isAllowed, isAsked)
      decorations = ScriptDecorations(
        BridgeClock(
          now: { clock.date }, steady: { clock.now.offset },
          sleep: { try await clock.sleep(for: $0) }), isAllowed: { _ in isAllowed.value },
        ask: { batch in
          batches.update { $0.append(batch) }
          let number = batches.value.count
          _ = await open.waits(upTo: .seconds(60)) { $0 >= number }
          guard isAsked.value else { return nil }
          return Dictionary(
            uniqueKeysWithValues: batch.messages.filter { $0.body != "plain" }.map {
              ($0.id, MessageDecoration(notes: [$0.body]))
            })
        }, onNews: { news.update { $0 += 1 } })
    }

    func ask(_ request: DecorationRequest) async -> [Int64: [String]] {
      Dictionary(
        uniqueKeysWithValues: await decorations.decorations(of: request).map {
          ($0.key.rawValue, $0.value.notes)
        })
    }

    /// The numbers of messages in each batch.
    var counts: [Int] { batches.value.map(\.messages.count) }
  }

  private static func request(
    _ ids: ClosedRange<Int64>, _ body: String? = nil
  ) -> DecorationRequest {
    DecorationRequest(
      ids.map { .init(.init($0), body ?? "m\($0)") }, in: bob, .direct, of: me)
  }

  @Test func `a message is asked about once, and again when its text is another`() async {
    let fixture = Fixture()
    #expect(await fixture.ask(Self.request(1...2)) == [1: ["m1"], 2: ["m2"]])
    #expect(await fixture.ask(Self.request(1...3)) == [1: ["m1"], 2: ["m2"], 3: ["m3"]])
    #expect(fixture.counts == [2, 1])
    #expect(await fixture.ask(Self.request(1...1, "plain")) == [:])
    #expect(await fixture.ask(Self.request(1...1, "plain")) == [:])
    #expect(fixture.counts == [2, 1, 1])
    #expect(fixture.news.value == 0)
  }

  @Test func `sixty messages are one request`() async {
    let fixture = Fixture()
    #expect(await fixture.ask(Self.request(1...130)).count == 130)
    #expect(fixture.counts == [60, 60, 10])
  }

  @Test func `long texts are spread over requests, and the longest are not asked about`() async {
    let fixture = Fixture()
    let long = String(repeating: "a", count: DecorationRequest.bodyLimit)
    #expect(await fixture.ask(Self.request(1...9, long)).count == 9)
    #expect(fixture.counts == [8, 1])
    #expect(await fixture.ask(Self.request(20...20, long + "a")) == [:])
    #expect(fixture.counts == [8, 1])
  }

  @Test func `a frame waits for 50 milliseconds, and what comes later is news`() async throws {
    let fixture = Fixture(open: 0)
    let asked = Task { await fixture.ask(Self.request(1...2)) }
    #expect(await fixture.batches.waits { $0.count == 1 })
    #expect(try await polls { fixture.clock.sleeps == [.milliseconds(50)] })
    fixture.clock.advance(by: .milliseconds(50))
    #expect(await asked.value == [:])
    #expect(fixture.news.value == 0)
    fixture.open.update { $0 = 1 }
    #expect(await fixture.news.waits { $0 == 1 })
    #expect(await fixture.ask(Self.request(1...2)) == [1: ["m1"], 2: ["m2"]])
    #expect(fixture.counts == [2])
  }

  @Test func `without the right nothing is asked, and what is known is not shown`() async {
    let fixture = Fixture()
    #expect(await fixture.ask(Self.request(1...1)) == [1: ["m1"]])
    fixture.isAllowed.update { $0 = false }
    #expect(await fixture.ask(Self.request(1...2)) == [:])
    #expect(fixture.counts == [1])
  }

  @Test func `an answer is not shown once the right is taken back`() async {
    let fixture = Fixture(open: 0)
    let asked = Task { await fixture.ask(Self.request(1...1)) }
    #expect(await fixture.batches.waits { $0.count == 1 })
    fixture.isAllowed.update { $0 = false }
    fixture.open.update { $0 = 1 }
    #expect(await asked.value == [:])
  }

  @Test func `a script that could not be asked is asked later`() async {
    let fixture = Fixture()
    fixture.isAsked.update { $0 = false }
    #expect(await fixture.ask(Self.request(1...1)) == [:])
    fixture.isAsked.update { $0 = true }
    #expect(await fixture.ask(Self.request(1...1)) == [1: ["m1"]])
    #expect(fixture.counts == [1, 1])
  }

  @Test func `what is passed over quickly is not asked about until it is shown again`() async throws
  {
    let fixture = Fixture(open: 0)
    var asked: [Task<[Int64: [String]], Never>] = []
    // One is under way; of the others, as many wait as there is room for.
    let count = Int64(ScriptLimits.decoration.waiting + 3)
    for id in 1...count {
      asked.append(Task { await fixture.ask(Self.request(id...id)) })
      if id == 1 { #expect(await fixture.batches.waits { $0.count == 1 }) }
      #expect(try await polls { fixture.clock.sleeps.count == Int(id) })
    }
    fixture.open.update { $0 = .max }
    for task in asked { _ = await task.value }
    let ids = fixture.batches.value.map { $0.messages[0].id.rawValue }
    #expect(ids == [1] + Array(4...count))
    #expect(await fixture.ask(Self.request(2...2)) == [2: ["m2"]])
  }

  @Test func `after its end nothing is kept, and nothing is asked`() async {
    let fixture = Fixture(open: 0)
    let asked = Task { await fixture.ask(Self.request(1...1)) }
    #expect(await fixture.batches.waits { $0.count == 1 })
    fixture.decorations.end()
    #expect(fixture.news.value == 1)
    fixture.open.update { $0 = .max }
    #expect(await asked.value == [:])
    #expect(await fixture.ask(Self.request(1...2)) == [:])
    #expect(fixture.counts == [1])
  }
}

import Synchronization
import Testing
import XMPP

@testable import NatterCore

@Suite struct PendingChangeSenderTests {
  private let hub = EventHub()
  private final class Lines: Sendable {
    let written = Mutex<[String]>([])
  }
  private let lines = Lines()

  private var queue: PendingChangeSender {
    PendingChangeSender("a wish", hub: hub) { [lines] line in
      lines.written.withLock { $0.append(line) }
    }
  }

  @Test func `a change that the server has is reported, one that did not arrive waits`()
    async throws
  {
    #expect(
      try await queue.submit {
      } refused: { _ in
        Issue.record("nothing was refused")
      })
    for error in [ChannelError.notConnected, .timedOut] {
      #expect(
        try await !queue.submit {
          throw error
        } refused: { _ in
          Issue.record("nothing was refused")
        })
    }
    #expect(
      try await !queue.submit {
        throw StanzaError(.wait, .internalServerError)
      } refused: { _ in
        Issue.record("nothing was refused")
      })
    #expect(lines.written.withLock { $0 } == ["a wish has to wait: internal-server-error"])
  }

  @Test func `a refusal is noted with the source of its text, and thrown`() async throws {
    var noted: [StatusNotice] = []
    let speaker = JID(local: nil, domain: "example.org")
    for error in [
      StanzaError(.cancel, .notAllowed, text: "never", speaker: speaker),
      StanzaError(.auth, .forbidden),
    ] {
      await #expect(throws: NatterError(answering: error)) {
        try await queue.submit {
          throw error
        } refused: {
          noted.append($0)
        }
      }
    }
    let own = NatterError(.refused, "error.discover.noFeed")
    await #expect(throws: own) {
      try await queue.submit {
        throw own
      } refused: {
        noted.append($0)
      }
    }
    #expect(
      noted == [
        StatusNotice(.error, "stanza.not-allowed", ["text": "never", "speaker": "example.org"]),
        StatusNotice(.error, "stanza.forbidden", ["text": ""]),
        StatusNotice(.error, "error.discover.noFeed"),
      ])
    // What is wrong here is nobody's refusal.
    let broken = NatterError(.storage, "error.storage.write")
    await #expect(throws: broken) {
      try await queue.submit {
        throw broken
      } refused: { _ in
        Issue.record("nothing was refused")
      }
    }
  }

  private struct Unreadable: UnreadableChangeReading {
    let changes: [UnreadableChange]
    let failure: NatterError?

    func unreadableChanges(of kinds: Set<PendingChangeKind>) throws -> [UnreadableChange] {
      if let failure { throw failure }
      return changes.filter { kinds.contains($0.kind) }
    }
  }

  @Test func `changes that cannot be read are written to the log`() async {
    let store = Unreadable(
      changes: [
        UnreadableChange(.follow, of: ["feed", "a.example", "n"]),
        UnreadableChange(.visibility, of: []), UnreadableChange(.follow, of: ["rooms"]),
        UnreadableChange(.card, of: ["city"]),
      ], failure: nil)
    await queue.reportUnreadable([.follow, .visibility], in: store) { $0.subject.first != "rooms" }
    #expect(
      lines.written.withLock { $0 } == [
        "a pending change cannot be read, and is not sent: follow feed a.example n",
        "a pending change cannot be read, and is not sent: visibility",
      ])
    let failing = Unreadable(changes: [], failure: NatterError(.storage, "error.storage"))
    await queue.reportUnreadable([.card], in: failing)
    #expect(lines.written.withLock { $0.count } == 3)
  }

  @Test func `of several changes none holds up the others, and a failure ends the round`() async {
    let events = hub.events()
    let refusal = NatterError(.refused, "stanza.forbidden")
    var reported: [Int] = []
    await queue.submitAll {
      [1, 2, 3]
    } _: { change in
      reported.append(change)
      if change == 2 { throw refusal }
    }
    #expect(reported == [1, 2, 3])
    await queue.submitAll {
      [4, 5]
    } _: { change in
      reported.append(change)
      throw NatterError(.storage, "error.storage.write")
    }
    #expect(reported == [1, 2, 3, 4])
    #expect(lines.written.withLock { $0.count } == 1)
    hub.publish(.feedsChanged)
    var notices: [DomainEvent] = []
    for await event in events {
      if event == .feedsChanged { break }
      notices.append(event)
    }
    #expect(notices == [.notice(refusal.notice)])
  }
}

import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

/// A room that is silent for a quarter of an hour is asked whether the user is still in it
/// (XEP-0410 §3).
@Suite(.timeLimit(.minutes(6))) struct SilentRoomTests {
  private let room = RoomStanza.room

  /// The time, and the looks at the clock, which come when the test says so.
  private final class Clock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_000_000))
    private let (looks, look) = AsyncStream<Void>.makeStream()
    /// The number of waits for the next look that have begun.
    let waits = Observed(0)

    var now: Date { time.withLock { $0 } }

    func sleep(_ duration: Duration) async throws {
      // The other clocks are those of answers.
      guard duration == .seconds(300) else { return try await Pause.endless(duration) }
      waits.update { $0 += 1 }
      for await _ in looks { return }
      throw CancellationError()
    }

    /// Minutes go by, and it is looked at the clock once.
    func pass(minutes: Double) async {
      let before = waits.value
      time.withLock { $0 += minutes * 60 }
      look.yield()
      #expect(await waits.waits { $0 > before })
    }
  }

  @Test
  func `a room that is silent for 15 minutes is asked, and one that has forgotten is entered`()
    async throws
  {
    let clock = Clock()
    let service = AccountRooms.fixture(
      clock: RoomClock(
        now: { clock.now },
        sleep: { try await clock.sleep($0) }))
    let hasForgotten = Mutex(false)
    let channel = RoomChannel { iq in
      guard iq.first("ping", Namespace.ping) != nil else { return nil }
      if hasForgotten.withLock({ $0 }) { throw StanzaError(.cancel, .notAcceptable) }
      return nil
    }
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await service.join(room, nick: "alice", password: nil)
      try await until { await channel.entrances == 1 }
      await service.receive([
        .presence(RoomStanza.presence("alice", codes: [110])),
        .message(RoomStanza.subject("Night")),
      ])
      #expect(await clock.waits.waits { $0 == 1 })
      await clock.pass(minutes: 14.9)
      await clock.pass(minutes: 0.2)
      try await until { await channel.pings.count == 1 }
      #expect(await channel.pings == ["\(room)/alice"])
      // It has answered: silence begins anew, and with each word that is said.
      await clock.pass(minutes: 14)
      await service.receive([.message(RoomStanza.subject("Dawn"))])
      await clock.pass(minutes: 14)
      hasForgotten.withLock { $0 = true }
      await clock.pass(minutes: 2)
      try await until { await channel.entrances == 2 }
      #expect(await channel.pings.count == 2)
    }
  }
}

extension RoomChannel {
  /// The number of requests to enter a room.
  var entrances: Int { sent.count { $0.first("x", XEP0045.namespace) != nil } }
  fileprivate var pings: [String?] {
    requests.filter { $0.first("ping", Namespace.ping) != nil }.map { $0["to"] }
  }
}

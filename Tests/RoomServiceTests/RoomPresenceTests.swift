import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

/// The own presence in rooms, and the history that rooms are asked for.
@Suite(.timeLimit(.minutes(6))) struct RoomPresenceTests {
  private let room = RoomStanza.room
  private static let time = Date(timeIntervalSince1970: 1_000_000)

  /// - Parameter isOver: which of the service's pauses are over at once; the others last longer
  ///   than a test.
  private func service(
    _ store: MemoryBookmarkStore = MemoryBookmarkStore(),
    isOver: @escaping @Sendable (Duration) -> Bool = { _ in false }
  ) -> AccountRooms {
    AccountRooms.fixture(
      store,
      clock: RoomClock(
        now: { Self.time },
        sleep: { if !isOver($0) { try await Pause.endless($0) } }))
  }

  private func enter(_ service: AccountRooms, _ channel: RecordingChannel) async throws {
    await service.sessionStarted(.fixture, over: channel)
    try await service.join(room, nick: "alice", password: nil)
    try await until { await !channel.entrances.isEmpty }
    await service.receive([.presence(RoomStanza.presence("alice", codes: [110]))])
  }

  private let away = OwnPresence(availability: .away, status: "at lunch")

  @Test func `a changed presence is sent to each room that one is in, once`() async throws {
    let (service, channel) = (service(), RecordingChannel())
    try await working(service) {
      try await enter(service, channel)
      await service.ownPresenceChanged(away)
      // Of the priority, and of what has not changed, a room has no use.
      await service.ownPresenceChanged(
        OwnPresence(availability: .away, status: "at lunch", priority: 5))
      let reported = await channel.reported
      #expect(reported.map { $0["to"] } == ["\(room)/alice"])
      #expect(reported.first.map(PresenceStanza.init)?.show == "away")
      #expect(reported.first.map(PresenceStanza.init)?.status == "at lunch")
      await service.ownPresenceChanged(OwnPresence())
      #expect(await channel.reported.map { PresenceStanza($0).show } == ["away", nil])
    }
  }

  @Test func `a user who is away comes in as such, and nothing is sent twice`() async throws {
    let (service, channel) = (service(), RecordingChannel())
    try await working(service) {
      await service.ownPresenceChanged(away)
      try await enter(service, channel)
      #expect(await channel.entrances.map { PresenceStanza($0).show } == ["away"])
      #expect(await channel.reported.isEmpty)
    }
  }

  @Test func `what is changed between the knock and the entry is sent inside`() async throws {
    let (service, channel) = (service(), RecordingChannel())
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await service.join(room, nick: "alice", password: nil)
      try await until { await !channel.entrances.isEmpty }
      await service.ownPresenceChanged(away)
      #expect(await channel.reported.isEmpty)
      await service.receive([.presence(RoomStanza.presence("alice", codes: [110]))])
      try await until { await channel.reported.map { PresenceStanza($0).show } == ["away"] }
    }
  }

  @Test func `what was changed without a connection is sent when the session goes on`()
    async throws
  {
    let (service, channel) = (service(), RecordingChannel())
    try await working(service) {
      try await enter(service, channel)
      await channel.breakDown()
      await service.ownPresenceChanged(away)
      #expect(await channel.reported.isEmpty)
      await channel.recover()
      await service.sessionResumed()
      #expect(await channel.reported.map { PresenceStanza($0).show } == ["away"])
    }
  }

  private func refusal(_ condition: StanzaError.Condition, to nick: String) -> Stanza {
    .presence(
      PresenceStanza(
        Element(
          "presence", Namespace.client, ["from": "\(room)/\(nick)", "type": "error"],
          [StanzaError(.cancel, condition).element])))
  }

  @Test(arguments: [StanzaError.Condition.itemNotFound, .notAcceptable])
  func `a room that no longer knows the sender is entered again, and no name refused`(
    condition: StanzaError.Condition
  ) async throws {
    // The pause before going back in is over at once; an answer has all the time, and nobody looks
    // at silent rooms.
    let service = service { $0 != .seconds(5) && $0 < .seconds(60) }
    let channel = RecordingChannel()
    try await working(service) {
      try await enter(service, channel)
      await service.ownPresenceChanged(away)
      await service.receive([refusal(condition, to: "alice")])
      try await until { await channel.entrances.count == 2 }
    }
  }

  /// The history that a room is asked for that was last heard of an hour ago.
  private func history(isRoomsWord: Bool, age: TimeInterval = 3600) async throws -> Element? {
    let service = service(
      MemoryBookmarkStore(newest: Self.time - age, isRoomsWord: isRoomsWord))
    let channel = RecordingChannel()
    try await working(service) { try await enter(service, channel) }
    return await channel.entrances.first?.first("x", XEP0045.namespace)?
      .first("history", XEP0045.namespace)
  }

  @Test func `the past is asked for by the room's own clock, or by how long ago it was`()
    async throws
  {
    let reported = try await history(isRoomsWord: true)
    #expect(reported?["since"] == XEP0082DateTime.text(for: Self.time - 3900))
    #expect(reported?["seconds"] == nil)
    // A clock that is wrong by hours says how long ago something was all the same.
    let heard = try await history(isRoomsWord: false)
    #expect(heard?["seconds"] == "3900")
    #expect(heard?["since"] == nil)
    // It was set back meanwhile.
    #expect(try await history(isRoomsWord: false, age: -86_400)?["seconds"] == "300")
  }
}

extension RecordingChannel {
  /// The presences that asked to come in.
  fileprivate var entrances: [Element] {
    sent.filter { $0.first("x", XEP0045.namespace) != nil }
  }
  /// The presences of an occupant that a room sent.
  fileprivate var reported: [Element] {
    sent.filter { $0.name == "presence" && $0.first("x", XEP0045.namespace) == nil }
  }
}

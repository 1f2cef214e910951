import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

// Messages that a moderator has a room retract (XEP-0425).
extension AccountRoomsTests {
  private static let feature = "urn:xmpp:message-moderate:1"

  /// Runs `body` while the user is in a room with these features.
  private func inside(
    _ features: [String], _ body: (AccountRooms, RoomChannel) async throws -> Void
  ) async throws {
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel(features: features)
    try await working(service) {
      try await enter(service, channel)
      try await until { await service.rooms().first?.phase == .inside }
      try await body(service, channel)
    }
  }

  @Test func `a room is asked to retract a message by the id that it gave it`() async throws {
    try await inside([Self.feature]) { service, channel in
      try await service.retract("s1", in: room, reason: "spam")
      let request = try #require(
        await channel.requests.last { $0.first("moderate", Self.feature) != nil })
      #expect(request["to"] == room.description && request["type"] == "set")
      #expect(request.first("moderate", Self.feature)?["id"] == "s1")
    }
  }

  @Test func `a room that cannot do it is not asked`() async throws {
    try await inside(["muc_moderated"]) { service, channel in
      await #expect(throws: NatterError(.refused, "error.room.noRetraction")) {
        try await service.retract("s1", in: room, reason: nil)
      }
      #expect(await channel.requests.allSatisfy { $0.first("moderate", Self.feature) == nil })
    }
  }
}

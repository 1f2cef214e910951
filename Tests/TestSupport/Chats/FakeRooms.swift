import NatterCore
import XMPP

/// Rooms that are entered as a test says.
package actor FakeRooms: RoomReading, RoomEntering, RoomModerating, RoomOwning, RoomInviting,
  VoiceAsking
{
  private let onJoin: @Sendable (JID) async -> Void

  /// The joined rooms: `den@rooms.example.org al`.
  package private(set) var joined: [String] = []
  /// The rooms where the user asked to speak, and their answers to others: `carol true`.
  package private(set) var (askedForVoice, answered): ([JID], [String]) = ([], [])
  private let waiting: [VoiceRequest]

  package init(
    waiting: [VoiceRequest] = [], onJoin: @escaping @Sendable (JID) async -> Void = { _ in }
  ) {
    (self.waiting, self.onJoin) = (waiting, onJoin)
  }

  package func join(_ room: JID, nick: String?, password: String?) async throws {
    joined.append([room.description, nick].compactMap(\.self).joined(separator: " "))
    await onJoin(room)
  }
  package func leave(_ room: JID) {}
  /// Those at the service are rooms.
  package func isRoom(_ address: JID) -> Bool { address.domain == "rooms.example.org" }
  package func address(ofRoom name: String) throws -> JID {
    throw NatterError(.refused, "error.offline")
  }
  package func changeNick(_ nick: String, in room: JID) {}
  package func setSubject(_ subject: String, of room: JID) {}
  package func invite(_ guest: JID, to room: JID, reason: String?) {}
  package func setRole(_ role: Occupant.Role, of nick: String, in room: JID, reason: String?) {}
  package func setAffiliation(
    _ affiliation: Occupant.Affiliation, of person: String, in room: JID, reason: String?
  ) {}
  package func retract(_ id: String, in room: JID, reason: String?) {}
  package func people(with affiliation: Occupant.Affiliation, in room: JID) -> [Occupant] { [] }
  package func configuration(of room: JID) -> DataForm { DataForm(fields: []) }
  package func configure(_ room: JID, with answers: [String: [String]]) {}
  package func destroy(_ room: JID, reason: String?) {}
  package func invitations() -> [RoomInvitation] { [] }
  package func accept(_ invitation: RoomInvitation) {}
  package func decline(_ invitation: RoomInvitation) {}
  package func askForVoice(in room: JID) { askedForVoice.append(room) }
  package func voiceRequests() -> [VoiceRequest] { waiting }
  package func answer(_ request: VoiceRequest, isAllowed: Bool) {
    answered.append("\(request.nick) \(isAllowed)")
  }
  package func rooms() -> [Room] { [] }
  package func occupants(of room: JID) -> [Occupant] { [] }
}

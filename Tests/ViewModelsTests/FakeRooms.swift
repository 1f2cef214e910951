import NatterCore
import TestSupport
import XMPP

@testable import ViewModels

/// Rooms that are entered as a test says.
actor FakeRooms: RoomReading, RoomEntering, RoomModerating, RoomOwning, RoomInviting, VoiceAsking {
  private let onJoin: @Sendable (JID) async -> Void

  /// What was entered: `den@rooms.example.org al`.
  private(set) var joined: [String] = []
  /// Where the person has asked to speak, and whom he has let: `carol true`.
  private(set) var (askedForVoice, answered): ([JID], [String]) = ([], [])
  private let waiting: [VoiceRequest]

  init(
    waiting: [VoiceRequest] = [], onJoin: @escaping @Sendable (JID) async -> Void = { _ in }
  ) {
    (self.waiting, self.onJoin) = (waiting, onJoin)
  }

  func join(_ room: JID, nick: String?, password: String?) async throws {
    joined.append([room.description, nick].compactMap(\.self).joined(separator: " "))
    await onJoin(room)
  }
  func leave(_ room: JID) {}
  /// Those at the service are rooms.
  func isRoom(_ address: JID) -> Bool { address.domain == "rooms.example.org" }
  func address(ofRoom name: String) throws -> JID { throw NatterError(.refused, "error.offline") }
  func changeNick(_ nick: String, in room: JID) {}
  func setSubject(_ subject: String, of room: JID) {}
  func invite(_ guest: JID, to room: JID, reason: String?) {}
  func setRole(_ role: Occupant.Role, of nick: String, in room: JID, reason: String?) {}
  func setAffiliation(
    _ affiliation: Occupant.Affiliation, of person: String, in room: JID, reason: String?
  ) {}
  func people(with affiliation: Occupant.Affiliation, in room: JID) -> [Occupant] { [] }
  func configuration(of room: JID) -> DataForm { DataForm(fields: []) }
  func configure(_ room: JID, with answers: [String: [String]]) {}
  func destroy(_ room: JID, reason: String?) {}
  func invitations() -> [RoomInvitation] { [] }
  func accept(_ invitation: RoomInvitation) {}
  func decline(_ invitation: RoomInvitation) {}
  func askForVoice(in room: JID) { askedForVoice.append(room) }
  func voiceRequests() -> [VoiceRequest] { waiting }
  func answer(_ request: VoiceRequest, isAllowed: Bool) {
    answered.append("\(request.nick) \(isAllowed)")
  }
  func rooms() -> [Room] { [] }
  func occupants(of room: JID) -> [Occupant] { [] }

  /// The ports of a shell that has these rooms.
  @MainActor func beside(_ ports: FakePorts) -> ShellViewModel.Ports {
    .init(
      timeline: ports, conversations: ports, histories: ports, roster: ports,
      rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports, sender: ports,
      rooms: .init(
        reading: self, entering: self, moderating: self, owning: self, inviting: self,
        voices: self))
  }
}

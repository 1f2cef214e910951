import Diagnostics
import NatterCore
import XMPP

/// The invitations (XEP-0045 §7.8, XEP-0249), each kept until it is answered.
final class InvitationInbox {
  private let registry: RoomRegistry
  private(set) var pending: [RoomInvitation] = []
  /// The passwords that came with invitations.
  private var passwords: [JID: String] = [:]
  /// The changes of the invitation into a room, one after the other.
  private let changes = SerialInbox<JID>()

  init(registry: RoomRegistry) { self.registry = registry }

  /// Takes over the invitations of the database.
  func restore(_ stored: [(invitation: RoomInvitation, password: String?)]) {
    for (invitation, password) in stored {
      pending.append(invitation)
      if let password { passwords[invitation.room] = password }
    }
  }

  func password(for room: JID) -> String? { passwords[room] }

  func decline(_ invitation: RoomInvitation) async throws {
    if invitation.isMediated {
      try await registry.send(XEP0045.decline(to: invitation.inviter, of: invitation.room))
    }
    try await settle(invitation.room)
    passwords[invitation.room.bare] = nil
  }

  /// - Throws: `StorageError` when it could not be kept: it is tried again.
  func receive(_ invitation: XEP0045Invitation) async throws {
    let room = invitation.room.bare
    // The archive has the user's own, too. An occupant needs none, and a second is no news.
    let new = RoomInvitation(
      room: room, inviter: invitation.inviter, reason: invitation.reason,
      isMediated: invitation.isMediated)
    guard invitation.inviter.bare != registry.account,
      registry.rooms[room]?.room.phase != .inside,
      InvitationShares.hasRoom(for: new, among: pending)
    else { return }
    try await changes.run(in: room) { try await keep(new, invitation.password) }
  }

  /// Stores a new invitation and reports it. It is called from the lane of the room.
  private func keep(_ new: RoomInvitation, _ password: String?) async throws {
    let room = new.room
    guard !pending.contains(where: { $0.room == room }) else { return }
    let attempt = registry.rooms[room]?.attempt
    try await registry.store.save(new, password: password)
    passwords[room] = password
    // The user may have joined meanwhile, and no invitation was there to be settled.
    if let state = registry.rooms[room],
      state.room.phase == .inside || state.isFresh && state.attempt != attempt
    {
      return try await registry.store.removeInvitation(to: room)
    }
    pending.append(new)
    registry.hub.publish(.roomInvitation(new))
  }

  /// Ends an invitation that was answered. Its password stays for this run: the bookmark's, which
  /// comes first, may be outdated.
  /// - Throws: the error of the store: then the invitation still waits for an answer.
  func settle(_ room: JID) async throws {
    guard pending.contains(where: { $0.room == room }) else { return }
    try await changes.run(in: room) {
      guard pending.contains(where: { $0.room == room }) else { return }
      try await registry.store.removeInvitation(to: room)
      pending.removeAll { $0.room == room }
      registry.hub.publish(.roomInvitationSettled(room))
    }
  }
}

extension RoomIncident {
  /// A declined invitation; a contact who was invited by an occupant JID is named by that.
  init(_ decline: XEP0045Decline) {
    let (room, guest) = (decline.room, decline.guest)
    let nick = guest.bare == room ? guest.resource : nil
    self.init(
      room: room, .declined,
      ["name": nick ?? guest.bare.description, "reason": decline.reason ?? ""])
  }
}

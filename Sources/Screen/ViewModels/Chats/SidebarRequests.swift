import NatterCore
import XMPP

/// The requests at the top of the list: to see this account's presence, to enter a room, to speak
/// in one.
nonisolated struct SidebarRequests {
  /// The peers that ask to see this account's presence.
  private(set) var contacts: [JID] = []
  private(set) var invitations: [RoomInvitation] = []
  private(set) var voices: [VoiceRequest] = []

  mutating func add(contact jid: JID) {
    if !contacts.contains(jid.bare) { contacts.append(jid.bare) }
  }

  /// Removes answered requests to see this account's presence.
  /// - Returns: `true` if there were any.
  mutating func remove(contacts answered: Set<JID>) -> Bool {
    let before = contacts.count
    contacts.removeAll { answered.contains($0) }
    return contacts.count != before
  }

  /// - Returns: `true` if the event is about a request.
  mutating func apply(_ event: DomainEvent) -> Bool {
    switch event {
    case .subscriptionRequested(let jid): add(contact: jid)
    case .subscriptionAnswered(let jid): _ = remove(contacts: [jid.bare])
    case .roomInvitation(let invitation):
      invitations.removeAll { $0.room == invitation.room }
      invitations.append(invitation)
    case .roomInvitationSettled(let room): invitations.removeAll { $0.room == room }
    case .voiceRequested(let request): if !voices.contains(request) { voices.append(request) }
    case .voiceRequestSettled(let request): voices.removeAll { $0 == request }
    default: return false
    }
    return true
  }
}

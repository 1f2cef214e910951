import NatterCore
import XMPP

/// The limits of stored invitations, in total and for each sender: more than a user would answer
/// come from a flood. A domain has at most a quarter of the remaining capacity, so that some is
/// left for others, for any number of domains.
enum InvitationShares {
  static let (all, ofSender, ofDomain) = (1000, 20, 200)

  /// Returns `true` if `invitation` is stored beside the `pending` ones.
  static func hasRoom(for invitation: RoomInvitation, among pending: [RoomInvitation]) -> Bool {
    guard pending.count < all else { return false }
    let sender = invitation.sender
    let domain = sender.domainOwner
    return pending.count { $0.sender == sender } < ofSender
      && pending.count { $0.sender.domainOwner == domain }
        < min(ofDomain, max(1, (all - pending.count) / 4))
  }
}

extension RoomInvitation {
  /// The bare JID that the server has verified: the inviter of a mediated invitation is only the
  /// room's claim.
  fileprivate var sender: JID { isMediated ? room.bare : inviter.bare }
}

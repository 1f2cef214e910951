import NatterCore
import XMPP

/// How many invitations are kept, altogether and of each sender: more than anyone answers come from a flood. A domain has at most
/// a quarter of the places that are left, so that some are left for others, however many domains there are.
enum InvitationShares {
  static let (all, ofSender, ofDomain) = (1000, 20, 200)

  /// Whether `invitation` is kept beside the `pending` ones.
  static func hasPlace(for invitation: RoomInvitation, among pending: [RoomInvitation]) -> Bool {
    guard pending.count < all else { return false }
    let (sender, domain) = (invitation.sender, invitation.sendingDomain)
    return pending.count { $0.sender == sender } < ofSender
      && pending.count { $0.sendingDomain == domain }
        < min(ofDomain, max(1, (all - pending.count) / 4))
  }
}

extension RoomInvitation {
  /// The bare address that the server has vouched for: whom a room names as the inviter is only the room's word.
  fileprivate var sender: JID { isMediated ? room.bare : inviter.bare }

  /// The last two labels of the sender's domain: the owner of a domain makes as many names below it as they like.
  fileprivate var sendingDomain: String {
    // By scalars: a letter such as U+0D4E makes one character with the dot behind it.
    sender.domain.unicodeScalars.split(whereSeparator: { $0 == "." }).suffix(2)
      .map { String($0) }.joined(separator: ".")
  }
}

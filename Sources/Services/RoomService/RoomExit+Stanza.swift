import NatterCore
import XMPP

extension RoomExit {
  /// The reason why an occupant is outside; `nil` when the room does not give it.
  init?(_ said: XEP0045Presence) {
    let item = said.item
    func exit(_ cause: Cause) -> RoomExit {
      RoomExit(cause, actor: item?.actor, reason: item?.reason)
    }
    if let destruction = said.destruction {
      self.init(
        .destroyed, actor: item?.actor, reason: destruction.reason,
        alternative: destruction.alternative)
    } else if said.codes.contains(301) {
      self = exit(.banned)
    } else if said.codes.contains(333) {
      self = exit(.connectionLost)
    } else if said.codes.contains(307) {
      self = exit(.kicked)
    } else if said.codes.contains(321) {
      self = exit(.membershipLost)
    } else if said.codes.contains(322) {
      self = exit(.membersOnlyNow)
    } else if said.codes.contains(332) {
      self = exit(.shutdown)
    } else {
      return nil
    }
  }

  /// The reason why the user could not enter (XEP-0045 §7.2.5-§7.2.11).
  package init(_ error: StanzaError, hadPassword: Bool) {
    let cause: Cause =
      switch error.condition {
      case .conflict: .nickTaken
      case .notAuthorized: hadPassword ? .passwordWrong : .passwordNeeded
      case .registrationRequired: .notMember
      case .forbidden: .isBanned
      case .serviceUnavailable, .resourceConstraint: .full
      case .itemNotFound: .locked
      case .notAllowed: .creationRefused
      case .notAcceptable, .jidMalformed: .nickRefused
      case .gone: .destroyed
      case .remoteServerNotFound, .remoteServerTimeout: .unreachable
      // Not a decision of a moderator.
      default: error.mayPass ? .unreachable : .refused
      }
    self.init(
      cause, reason: error.certainText,
      alternative: cause == .destroyed ? error.newAddress.flatMap { JID(uri: $0)?.bare } : nil)
  }
}

import FoundationEssentials
import NatterCore
import XMPP

/// Decides how far back the delays of arriving messages are believed.
///
/// Servers forward a `<delay/>` that a sender wrote in the name of the recipient's server or of a
/// room (XEP-0203 §4), which would put the message among old ones. Offline messages and the history
/// of a room, which may be of any age, come at the beginning. Later, a server delays messages only
/// while a client is inactive, or until the session of another client expires.
struct DelayTrust {
  private var visits: [JID: (visit: Int, since: Date)] = [:]

  /// Seconds from the beginning of a session or a visit in which delays of any age are believed.
  private static let beginning: TimeInterval = 600
  /// The longest delay, in seconds before that beginning, that is believed later.
  private static let longest: TimeInterval = 86_400

  /// Notes since when the user is in the rooms.
  mutating func observe(_ rooms: [JID: RoomMembership], at now: Date) {
    for (room, view) in rooms where view.visit != visits[room]?.visit {
      visits[room] = view.visit.map { (visit: $0, since: now) }
    }
    if visits.count > rooms.count { visits = visits.filter { rooms[$0.key] != nil } }
  }

  /// Returns the times for a message from `sender`.
  /// - Parameter connected: the beginning of the session.
  func earliest(from sender: JID?, connected: Date, at now: Date) -> EarliestDelays {
    func limit(_ beginning: Date) -> Date {
      now.timeIntervalSince(beginning) < Self.beginning
        ? .distantPast : beginning.addingTimeInterval(-Self.longest)
    }
    let visit = sender.flatMap { visits[$0.bare] }
    return EarliestDelays(
      server: limit(connected), room: visit.map { limit($0.since) } ?? .distantPast)
  }
}

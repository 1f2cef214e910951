import XMPP

/// A bookmarked room (XEP-0402), with what the database stores about it.
package struct Bookmark: Identifiable, Hashable, Sendable, CustomStringConvertible,
  CustomReflectable
{
  package let room: JID
  package var name: String?
  package var nick: String?
  /// The password of the room; never logged.
  package var password: String?
  /// Indicates whether it is joined after signing in.
  package var autojoins: Bool
  /// Indicates whether the server stores it too, where other clients can remove single items
  /// (XEP-0402).
  package var isPublished: Bool
  /// Indicates whether it was changed here and the server has not accepted the change yet.
  package var isChanged: Bool
  /// The notification rule that was chosen here and that the server has not accepted yet.
  package var rule: PendingNotificationRule?
  /// The reason why the server refused what was changed or chosen here; `nil`: it was not sent, or
  /// is accepted.
  package var refusal: StatusNotice?
  /// Indicates whether the user was in the room, or joining it, when it was last stored.
  package var isWanted: Bool
  package var subject: String
  package var exit: RoomExit?
  /// The description that the room's owner wrote; may be empty. Untrusted.
  package var about: String
  /// The SHA-1 of the room's avatar (XEP-0486), in hexadecimal; `nil` if none is known.
  package var pictureID: String?
  /// Indicates whether the room announces an archive and did not let it be read in the last visit.
  package var refusesArchive: Bool

  package var id: JID { room }

  package init(
    room: JID, name: String? = nil, nick: String? = nil, password: String? = nil,
    autojoins: Bool = false, isPublished: Bool = false, isChanged: Bool = false,
    rule: PendingNotificationRule? = nil, refusal: StatusNotice? = nil, isWanted: Bool = false,
    subject: String = "", exit: RoomExit? = nil, about: String = "", pictureID: String? = nil,
    refusesArchive: Bool = false
  ) {
    self.room = room.bare
    self.name = name
    self.nick = nick
    self.password = password
    self.autojoins = autojoins
    self.isPublished = isPublished
    self.isChanged = isChanged
    self.rule = rule
    self.refusal = refusal
    self.isWanted = isWanted
    self.subject = subject
    self.exit = exit
    self.about = about
    self.pictureID = pictureID
    self.refusesArchive = refusesArchive
  }

  /// Records a change that the server has not accepted yet.
  package mutating func noteChange() { (isChanged, refusal) = (true, nil) }

  /// Records a notification rule that the server has not accepted yet; `nil` removes the rule.
  package mutating func choose(_ setting: XEP0492Notification?) {
    (rule, refusal) = (PendingNotificationRule(setting), nil)
  }

  package var description: String { "Bookmark(\(room))" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A notification rule of a room that has to be sent to the server (XEP-0492).
package enum PendingNotificationRule: Hashable, Sendable {
  /// Removes the rule of this room: the clients' own settings apply.
  case unset
  case set(XEP0492Notification)

  /// `nil` for `unset`.
  package var setting: XEP0492Notification? {
    guard case .set(let setting) = self else { return nil }
    return setting
  }

  package init(_ setting: XEP0492Notification?) { self = setting.map { .set($0) } ?? .unset }
}

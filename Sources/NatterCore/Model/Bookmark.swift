import XMPP

/// A room that the person keeps (XEP-0402), and what the database holds of it besides.
package struct Bookmark: Identifiable, Hashable, Sendable, CustomStringConvertible,
  CustomReflectable
{
  package let room: JID
  package var name: String?
  package var nick: String?
  /// What the room asks for at its door; never logged.
  package var password: String?
  /// Whether it is entered after signing in.
  package var autojoins: Bool
  /// Whether the server keeps it too, where other clients take out single ones (XEP-0402).
  package var isPublished: Bool
  /// Whether it was changed here and the server has not heard of that yet.
  package var isChanged: Bool
  /// What of the room is told, where that was chosen here and the server has not heard of it yet.
  package var wish: PendingNotificationRule?
  /// Whether the person was in it, or on the way in, when it was last stored.
  package var isWanted: Bool
  package var subject: String
  package var exit: RoomExit?
  /// What the room's owner wrote about it; empty: nothing. From outside.
  package var about: String
  /// The SHA-1 of the room's picture (XEP-0486), in hexadecimal; `nil`: it has none, as far as anybody knows.
  package var pictureID: String?

  package var id: JID { room }

  package init(
    room: JID, name: String? = nil, nick: String? = nil, password: String? = nil,
    autojoins: Bool = false, isPublished: Bool = false, isChanged: Bool = false,
    wish: PendingNotificationRule? = nil, isWanted: Bool = false,
    subject: String = "", exit: RoomExit? = nil, about: String = "", pictureID: String? = nil
  ) {
    self.room = room.bare
    self.name = name
    self.nick = nick
    self.password = password
    self.autojoins = autojoins
    self.isPublished = isPublished
    self.isChanged = isChanged
    self.wish = wish
    self.isWanted = isWanted
    self.subject = subject
    self.exit = exit
    self.about = about
    self.pictureID = pictureID
  }

  package var description: String { "Bookmark(\(room))" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What the server is to be told of a room's notifications (XEP-0492).
package enum PendingNotificationRule: Hashable, Sendable, RawRepresentable {
  /// Nothing is said of this room any more: the clients' own settings hold.
  case unset
  case set(XEP0492Notification)

  /// `nil` for `unset`.
  package var setting: XEP0492Notification? {
    guard case .set(let setting) = self else { return nil }
    return setting
  }

  package init(_ setting: XEP0492Notification?) { self = setting.map { .set($0) } ?? .unset }

  /// As the database keeps it: the word on the wire, or nothing.
  package var rawValue: String { setting?.rawValue ?? "" }

  /// `nil` for a word that is none.
  package init?(rawValue: String) {
    guard !rawValue.isEmpty else {
      self = .unset
      return
    }
    guard let setting = XEP0492Notification(rawValue: rawValue) else { return nil }
    self = .set(setting)
  }
}

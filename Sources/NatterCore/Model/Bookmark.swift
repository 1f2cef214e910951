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
  /// Whether the server keeps it too.
  package var isPublished: Bool
  /// Whether it was changed here and the server has not heard of that yet.
  package var isChanged: Bool
  /// Whether the person was in it, or on the way in, when it was last stored.
  package var isWanted: Bool
  package var subject: String
  package var exit: RoomExit?

  package var id: JID { room }

  package init(
    room: JID, name: String? = nil, nick: String? = nil, password: String? = nil,
    autojoins: Bool = false, isPublished: Bool = false, isChanged: Bool = false,
    isWanted: Bool = false,
    subject: String = "", exit: RoomExit? = nil
  ) {
    self.room = room.bare
    self.name = name
    self.nick = nick
    self.password = password
    self.autojoins = autojoins
    self.isPublished = isPublished
    self.isChanged = isChanged
    self.isWanted = isWanted
    self.subject = subject
    self.exit = exit
  }

  package var description: String { "Bookmark(\(room))" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

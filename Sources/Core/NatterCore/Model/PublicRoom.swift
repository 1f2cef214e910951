import FoundationEssentials
import XMPP

/// A directory of public rooms: a chat service (XEP-0045 §6.3) or a search over many of them
/// (XEP-0433).
package struct RoomDirectory: Identifiable, Hashable, Sendable {
  /// The protocol of a directory.
  package enum DirectoryKind: String, Hashable, Sendable, CaseIterable {
    /// Lists its own rooms.
    case rooms
    /// Lists rooms of others. Its operator sees the search terms.
    case search
  }

  package let jid: JID
  /// The name that it reports. Untrusted.
  package var name: String?
  package var kind: DirectoryKind
  /// Indicates whether the user added it; otherwise it belongs to the own server.
  package var isAdded: Bool
  /// The time when its whole list was last read; `nil`: never.
  package var readAt: Date?

  package var id: JID { jid }

  package init(
    jid: JID, name: String? = nil, kind: DirectoryKind = .rooms, isAdded: Bool = false,
    readAt: Date? = nil
  ) {
    self.jid = jid
    self.name = name
    self.kind = kind
    self.isAdded = isAdded
    self.readAt = readAt
  }
}

/// A room that a directory lists, as far as it is known. All texts are untrusted.
package struct PublicRoom: Identifiable, Hashable, Sendable {
  /// Bare.
  package let jid: JID
  /// The directory that lists it.
  package var directory: JID
  /// The name that the room reports; empty: only the address is known.
  package var name: String
  /// The subject, or else the description.
  package var topic: String
  /// The number of occupants; `nil` if not known.
  package var people: Int?
  /// The language tag of the room, such as `en`.
  package var language: String?
  package var traits: Set<Room.Trait>
  /// Indicates whether the room itself, or a search, has returned more than its existence.
  package var isDescribed: Bool

  package var id: JID { jid }

  package init(
    jid: JID, directory: JID, name: String = "", topic: String = "", people: Int? = nil,
    language: String? = nil, traits: Set<Room.Trait> = [], isDescribed: Bool = false
  ) {
    self.jid = jid.bare
    self.directory = directory
    self.name = name
    self.topic = topic
    self.people = people
    self.language = language
    self.traits = traits
    self.isDescribed = isDescribed
  }
}

/// The rooms that the directories listed.
package struct RoomListing: Hashable, Sendable {
  package var directories: [RoomDirectory]
  /// Unordered.
  package var rooms: [PublicRoom]
  /// Indicates whether the directories are being read.
  package var isReading: Bool
  /// The addresses to add to the directories once there is a connection.
  package var waiting: [JID] = []

  package init(
    directories: [RoomDirectory] = [], rooms: [PublicRoom] = [], isReading: Bool = false
  ) {
    self.directories = directories
    self.rooms = rooms
    self.isReading = isReading
  }

  /// The time when the oldest of the lists was read; `nil` if one was never read, or there is none.
  package var readAt: Date? {
    let dates = directories.map(\.readAt)
    return dates.contains(nil) ? nil : dates.compactMap(\.self).min()
  }
}

/// The data that a room shows to a user who has not joined.
package struct RoomPreview: Hashable, Sendable {
  /// A message in it. Untrusted.
  package struct Line: Hashable, Sendable {
    package let nick: String
    package let text: String
    package let sentAt: Date

    package init(nick: String, text: String, sentAt: Date) {
      self.nick = nick
      self.text = text
      self.sentAt = sentAt
    }
  }

  package var room: PublicRoom
  /// The description that its owner wrote; may be empty.
  package var description: String
  /// The nicks of the occupants, if the room discloses them.
  package var nicks: [String]
  /// The latest messages, newest last, if the room's archive is public.
  package var lines: [Line]

  package init(
    room: PublicRoom, description: String = "", nicks: [String] = [], lines: [Line] = []
  ) {
    self.room = room
    self.description = description
    self.nicks = nicks
    self.lines = lines
  }
}

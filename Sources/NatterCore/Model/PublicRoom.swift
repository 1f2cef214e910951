import FoundationEssentials
import XMPP

/// A place that lists rooms for everybody: a chat service (XEP-0045 §6.3) or a search over many of them (XEP-0433).
package struct RoomDirectory: Identifiable, Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Has rooms of its own.
    case rooms
    /// Knows rooms of others. What is looked for there is told to whoever runs it.
    case search
  }

  package let jid: JID
  /// What it calls itself. From outside.
  package var name: String?
  package var kind: Kind
  /// Whether the person added it; else it belongs to the own server.
  package var isAdded: Bool
  /// When its whole list was last read; `nil`: never.
  package var readAt: Date?

  package var id: JID { jid }

  package init(
    jid: JID, name: String? = nil, kind: Kind = .rooms, isAdded: Bool = false, readAt: Date? = nil
  ) {
    self.jid = jid
    self.name = name
    self.kind = kind
    self.isAdded = isAdded
    self.readAt = readAt
  }
}

/// A room that a directory lists, as far as it is known. All texts are from outside.
package struct PublicRoom: Identifiable, Hashable, Sendable {
  /// Bare.
  package let jid: JID
  /// Who lists it.
  package var directory: JID
  /// What the room calls itself; empty: nothing but its address.
  package var name: String
  /// What it is about: its subject, or else its description.
  package var topic: String
  /// How many are in it; `nil`: not known.
  package var people: Int?
  /// The tag of the language that is spoken there, as `en`.
  package var language: String?
  package var traits: Set<Room.Trait>
  /// Whether the room itself, or a search, has told more than that it is there.
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

/// What the directories told of the rooms there are.
package struct RoomListing: Hashable, Sendable {
  package var directories: [RoomDirectory]
  /// In no order.
  package var rooms: [PublicRoom]
  /// Whether the directories are being read.
  package var isReading: Bool
  /// What is to be added to the directories once there is a connection.
  package var waiting: [JID] = []

  package init(
    directories: [RoomDirectory] = [], rooms: [PublicRoom] = [], isReading: Bool = false
  ) {
    self.directories = directories
    self.rooms = rooms
    self.isReading = isReading
  }

  /// When the oldest of the lists was read; `nil` when one was not yet, or there is none.
  package var readAt: Date? {
    let dates = directories.map(\.readAt)
    return dates.contains(nil) ? nil : dates.compactMap(\.self).min()
  }
}

/// What a room shows of itself to who stands before its door.
package struct RoomPreview: Hashable, Sendable {
  /// Something that was said in it. Text from outside.
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
  /// What its owner wrote about it; empty: nothing.
  package var description: String
  /// The nicks of those inside, where the room tells them.
  package var nicks: [String]
  /// What was said last, the newest at the end, where the room lets anybody read it.
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

import NatterCore

// What a room can make this client keep of its name, its subject, its occupants and their requests:
// it is free to invent them.
extension RoomState {
  /// The longest status text of an occupant that is kept, in bytes.
  static let statusBytes = 512
  /// The longest name that is kept, in bytes; the names in bookmarks have the same limit.
  static let nameBytes = 1024
  /// The longest subject that is kept, in bytes.
  static let subjectBytes = 64 << 10
  /// The most occupants that are kept. The largest public rooms have some thousands.
  static let occupantLimit = 5000
  /// The most requests to speak that wait at a time; visitors can ask again.
  static let voiceLimit = 100

  /// Returns whether the presence of `nick` is kept. The messages of the others are shown, too.
  func takesOccupant(_ nick: String) -> Bool {
    occupants.count < Self.occupantLimit || occupants[nick] != nil
  }
}

import NatterCore
import XMPP

extension PublicRoom {
  /// The longest name of a room or a directory that is kept, in bytes.
  static let nameBytes = 256
  /// The longest topic that is kept, in bytes. A directory may list 10,000 rooms, and each of its
  /// stanzas may be as large as the server permits.
  static let topicBytes = 1024
  /// The longest language tag, in bytes; a longer one names no language (RFC 5646 §4.4.1).
  private static let languageBytes = 64

  /// The room with its texts cut to these limits.
  var shortened: PublicRoom {
    var room = self
    room.name = name.beginning(bytes: Self.nameBytes)
    room.topic = topic.beginning(bytes: Self.topicBytes)
    room.language = language.flatMap { $0.utf8.count <= Self.languageBytes ? $0 : nil }
    return room
  }
}

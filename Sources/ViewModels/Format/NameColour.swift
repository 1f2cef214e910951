import XMPP

/// Which of the theme's eight name colours somebody has: always the same one, from the bare address.
nonisolated package enum NameColour {
  package static let count = 8

  /// Of somebody in a room, by the nick.
  package static func of(nick: String) -> Int { number(of: nick) }

  /// 0 to 7, by the FNV-1a hash of the bare address's UTF-8.
  package static func of(_ jid: JID) -> Int { number(of: jid.bare.description) }

  private static func number(of text: String) -> Int {
    var hash: UInt32 = 0x811C_9DC5
    for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    return Int((hash ^ (hash >> 16)) % UInt32(count))
  }
}

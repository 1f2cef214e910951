import XMPP

/// Which hue the name of somebody has: always the same one, in every client that does as XEP-0392 says. The theme shows it
/// in the nearest of its eight colours of names, which it sees to that each can be read.
nonisolated package enum NameHue {
  /// Of somebody in a room, by the nick: on the circle of HSLuv, 0 to 360 degrees.
  package static func of(nick: String) -> Double { angle(of: nick) }

  /// By the bare address: on the circle of HSLuv, 0 to 360 degrees.
  package static func of(_ jid: JID) -> Double { angle(of: jid.bare.description) }

  /// The hue of a text on the circle of HSLuv, in degrees (XEP-0392 §5.1).
  package static func angle(of text: String) -> Double {
    Double(SHA1.firstTwoBytes(of: text)) / 65536 * 360
  }
}

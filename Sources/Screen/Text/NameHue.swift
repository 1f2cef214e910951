import XMPP

/// The hue of a name: the same in every client that follows XEP-0392. The theme shows it as the
/// nearest of its eight name colours, all of which it keeps readable.
nonisolated package enum NameHue {
  /// Returns the hue of an occupant by nick: on the circle of HSLuv, 0 to 360 degrees.
  package static func of(nick: String) -> Double { angle(of: nick) }

  /// Returns the hue of a bare address: on the circle of HSLuv, 0 to 360 degrees.
  package static func of(_ jid: JID) -> Double { angle(of: jid.bare.description) }

  /// Returns the hue of a text on the circle of HSLuv, in degrees (XEP-0392 §5.1).
  package static func angle(of text: String) -> Double {
    Double(SHA1.firstTwoBytes(of: text)) / 65536 * 360
  }
}

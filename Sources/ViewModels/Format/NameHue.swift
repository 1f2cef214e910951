import XMPP

/// Which hue the name of somebody has: always the same one, in every client that does as XEP-0392 says. The theme shows it
/// in the nearest of its eight colours of names, which it sees to that each can be read.
nonisolated package enum NameHue {
  /// Which colours somebody can tell apart (XEP-0392, "Corrections for Color Vision Deficiencies").
  package enum Vision: Hashable, Sendable {
    case all
    /// Not red from green.
    case redGreen
    /// Not blue from green.
    case blue

    /// The hue that stands for another one, both in degrees.
    func corrected(_ angle: Double) -> Double {
      switch self {
      case .all: angle
      case .redGreen:
        ((angle + 90).truncatingRemainder(dividingBy: 180) - 90 + 360)
          .truncatingRemainder(dividingBy: 360)
      case .blue: angle.truncatingRemainder(dividingBy: 180)
      }
    }
  }

  /// Of somebody in a room, by the nick: on the circle of HSLuv, 0 to 360 degrees.
  package static func of(nick: String, for vision: Vision = .all) -> Double {
    vision.corrected(angle(of: nick))
  }

  /// By the bare address: on the circle of HSLuv, 0 to 360 degrees.
  package static func of(_ jid: JID, for vision: Vision = .all) -> Double {
    vision.corrected(angle(of: jid.bare.description))
  }

  /// The hue of a text on the circle of HSLuv, in degrees (XEP-0392 §5.1).
  package static func angle(of text: String) -> Double {
    Double(SHA1.firstTwoBytes(of: text)) / 65536 * 360
  }
}

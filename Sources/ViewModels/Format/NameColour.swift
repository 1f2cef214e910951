import XMPP

/// Which of the theme's eight name colours somebody has: always the same one, in every client that does as XEP-0392
/// says, as near as eight colours allow. The themes see to it that each can be read.
nonisolated package enum NameColour {
  package static let count = 8

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

    /// Whether a hue can stand for another one.
    func keeps(_ hue: Double) -> Bool { corrected(hue) == hue }
  }

  /// Of somebody in a room, by the nick.
  package static func of(nick: String, for vision: Vision = .all) -> Int {
    number(of: angle(of: nick), for: vision)
  }

  /// 0 to 7, by the bare address.
  package static func of(_ jid: JID, for vision: Vision = .all) -> Int {
    number(of: angle(of: jid.bare.description), for: vision)
  }

  /// The hue of a text on the circle of HSLuv, in degrees (XEP-0392 §5.1).
  package static func angle(of text: String) -> Double {
    Double(SHA1.firstTwoBytes(of: text)) / 65536 * 360
  }

  /// The hues of the themes' `nick.0` to `nick.7`: blue, green, orange, purple, cyan, pink, yellow, red.
  private static let hues: [Double] = [250, 130, 45, 290, 195, 340, 85, 12]

  private static func number(of angle: Double, for vision: Vision) -> Int {
    let angle = vision.corrected(angle)
    let distances = hues.map { hue in
      guard vision.keeps(hue) else { return Double.infinity }
      let distance = abs(hue - angle)
      return min(distance, 360 - distance)
    }
    return distances.indices.min { distances[$0] < distances[$1] } ?? 0
  }
}

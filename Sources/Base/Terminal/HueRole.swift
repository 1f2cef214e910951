// Roles that have only a hue, as names do (XEP-0392): a theme draws each in the nearest of its own
// colours.
extension StyleRole {
  /// The eight roles whose colours a theme uses for names.
  package static let wheel = (UInt8(22)...29).map { StyleRole(rawValue: $0) }

  /// The number of distinct hues.
  private static let hueSteps = 60
  private static let firstHue = UInt8(192)

  /// Returns the role of a hue, an angle on the circle of HSLuv in degrees; every number is valid.
  package static func hue(_ angle: Double) -> StyleRole {
    guard angle.isFinite else { return wheel[0] }
    let turn = angle.truncatingRemainder(dividingBy: 360)
    let step = Int(((turn < 0 ? turn + 360 : turn) / 360 * Double(hueSteps)).rounded()) % hueSteps
    return StyleRole(rawValue: firstHue + UInt8(step))
  }

  /// The hue of a role that has one, in degrees.
  var hue: Double? {
    guard rawValue >= Self.firstHue, rawValue < Self.firstHue + UInt8(Self.hueSteps) else {
      return nil
    }
    return Double(rawValue - Self.firstHue) * 360 / Double(Self.hueSteps)
  }
}

extension Theme {
  /// The colours that a user can distinguish (XEP-0392, "Corrections for Color Vision
  /// Deficiencies").
  package enum Vision: Hashable, Sendable {
    case all
    /// Not red from green.
    case redGreen
    /// Not blue from green.
    case blue

    /// Returns the hue that replaces an indistinguishable one, both in degrees.
    func corrected(_ angle: Double) -> Double {
      switch self {
      case .all: angle
      case .redGreen:
        ((angle + 90).truncatingRemainder(dividingBy: 180) - 90 + 360)
          .truncatingRemainder(dividingBy: 360)
      case .blue: angle.truncatingRemainder(dividingBy: 180)
      }
    }

    /// Returns whether a hue remains unchanged by the correction.
    func keeps(_ hue: Double) -> Bool { abs(corrected(hue) - hue) < 0.001 }
  }

  /// Returns the role that draws a hue: the role of the wheel whose colour at this depth is
  /// nearest, among the distinguishable ones. Greys have no hue and are used only if there is no
  /// colour.
  func roleOnWheel(for hue: Double, at depth: ColorDepth) -> StyleRole {
    // The 256 colours are chosen by similarity to the theme's own, and have the same hues.
    let depth = depth == .indexed ? .truecolor : depth
    let hues = StyleRole.wheel.map { look(of: $0, at: depth).foreground.hue }
    let kept = hues.map { $0.flatMap { vision.keeps($0) ? $0 : nil } }
    let angle = vision.corrected(hue)
    let distances = (kept.contains { $0 != nil } ? kept : hues).map { hue in
      hue.map { min(abs($0 - angle), 360 - abs($0 - angle)) } ?? .infinity
    }
    return zip(StyleRole.wheel, distances).min { $0.1 < $1.1 }?.0 ?? .plain
  }
}

// Roles that are known by a hue alone, as names have one (XEP-0392): a theme shows each in the nearest of its own colours.
nonisolated extension StyleRole {
  /// The eight roles that a theme gives the colours of names to.
  package static let wheel = (UInt8(22)...29).map { StyleRole(rawValue: $0) }

  /// How many hues are told apart.
  static let hueSteps = 60
  private static let firstHue = UInt8(192)

  /// What has a hue, on the circle of HSLuv in degrees; any number is one.
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
  /// The role whose colour is to be shown for a hue: that of the wheel's whose colour at this depth is the nearest. Greys have
  /// no hue, and stand for none where there is a colour.
  func roleOnWheel(for hue: Double, at depth: ColorDepth) -> StyleRole {
    let distances = StyleRole.wheel.map { role in
      // The 256 colours are taken by their likeness to the theme's own, and have their hues.
      look(of: role, at: depth == .indexed ? .truecolor : depth).foreground.hue.map {
        let distance = abs($0 - hue)
        return min(distance, 360 - distance)
      } ?? .infinity
    }
    return distances.indices.min { distances[$0] < distances[$1] }.map { StyleRole.wheel[$0] }
      ?? StyleRole.wheel[0]
  }
}

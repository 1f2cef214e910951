import Glibc

/// A colour of a theme.
package enum Color: Hashable, Sendable {
  /// The terminal's own foreground or background.
  case terminalDefault
  /// One of the 256 colours of xterm; 0-15 are the ANSI colours, whose appearance the user
  /// configures.
  case indexed(UInt8)
  case rgb(UInt8, UInt8, UInt8)

  /// The names of the colours 0-15.
  package static let ansiNames = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    "bright-black", "bright-red", "bright-green", "bright-yellow", "bright-blue", "bright-magenta",
    "bright-cyan", "bright-white",
  ]

  /// Red, green and blue, 0-255; xterm's values for the ANSI colours, `nil` for the terminal's own.
  package var components: (red: Int, green: Int, blue: Int)? {
    switch self {
    case .terminalDefault: return nil
    case .rgb(let red, let green, let blue): return (Int(red), Int(green), Int(blue))
    case .indexed(let index):
      let index = Int(index)
      if index < 16 { return Self.ansi[index] }
      if index >= 232 {
        let level = (index - 232) * 10 + 8
        return (level, level, level)
      }
      func level(_ step: Int) -> Int { step == 0 ? 0 : step * 40 + 55 }
      let cube = index - 16
      return (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
    }
  }

  private static let ansi: [(Int, Int, Int)] = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
    (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255),
    (255, 0, 255), (0, 255, 255), (255, 255, 255),
  ]

  /// The relative luminance, 0 (black) to 1 (white) (WCAG 2.1); `nil` for the terminal's own
  /// colours.
  package var luminance: Double? {
    components.map(Self.luminance)
  }

  /// Returns the contrast ratio of two colours, 1 to 21 (WCAG 2.1 §1.4.3); `nil` with the
  /// terminal's own.
  package static func contrast(_ a: Color, _ b: Color) -> Double? {
    guard let first = a.luminance, let second = b.luminance else { return nil }
    return contrast(first, second)
  }

  /// Returns the colour of `range` that is most similar to this one (CIE 1976 L*a*b* distance).
  /// - Parameters:
  ///   - range: indices of the 256 colours.
  ///   - background: if given, colours with less contrast against it than `contrast` are skipped
  ///     while there are others.
  package func nearest(
    in range: ClosedRange<UInt8>, on background: Color? = nil, contrast: Double = 1
  ) -> Color {
    guard let components else { return self }
    let own = Self.lab(components)
    let base = background?.luminance
    var best = Int(range.lowerBound)
    var bestDistance = Double.infinity
    var hasContrast = false
    // Runs for each drawn role before the first frame: a plain loop is the fastest.
    Self.palette.withUnsafeBufferPointer { palette in
      var index = best
      while index <= Int(range.upperBound) {
        defer { index += 1 }
        let candidate = palette[index]
        let (l, a, b) = (
          own.0 - candidate.lab.0, own.1 - candidate.lab.1, own.2 - candidate.lab.2
        )
        let distance = l * l + a * a + b * b
        // Most candidates end here: computing the contrast costs a division.
        if hasContrast, distance >= bestDistance { continue }
        let isReadable =
          base.map { Self.contrast(candidate.luminance, $0) >= contrast } ?? true
        if isReadable == hasContrast ? distance < bestDistance : isReadable {
          (best, bestDistance, hasContrast) = (index, distance, isReadable)
        }
      }
    }
    return .indexed(UInt8(best))
  }

  private static func contrast(_ a: Double, _ b: Double) -> Double {
    (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  /// The compared properties of each of the 256 colours: computed once, because every role of a
  /// theme is compared with all of them.
  private static let palette = (0...255).map { index in
    let components = Color.indexed(UInt8(index)).components ?? (0, 0, 0)
    return (luminance: luminance(components), lab: lab(components))
  }

  private static let linear = (0...255).map { component in
    let value = Double(component) / 255
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  private static func luminance(_ color: (red: Int, green: Int, blue: Int)) -> Double {
    0.2126 * linear[color.red] + 0.7152 * linear[color.green] + 0.0722 * linear[color.blue]
  }

  /// The hue on the circle of HSLuv, 0 to 360 degrees (CIE 1976 L*u*v*); `nil` for greys and the
  /// terminal's own colours.
  package var hue: Double? {
    guard let components else { return nil }
    let (x, y, z) = Self.xyz(components)
    let sum = x + 15 * y + 3 * z
    guard sum > 0 else { return nil }
    let lightness = 13 * (116 * Self.root(y) - 16)
    let u = lightness * (4 * x / sum - 0.19784)
    let v = lightness * (9 * y / sum - 0.46834)
    guard u * u + v * v > Self.leastChroma * Self.leastChroma else { return nil }
    let angle = atan2(v, u) * 180 / .pi
    return angle < 0 ? angle + 360 : angle
  }

  /// The chroma below which a colour looks grey.
  private static let leastChroma = 10.0

  private static func xyz(
    _ color: (red: Int, green: Int, blue: Int)
  ) -> (x: Double, y: Double, z: Double) {
    let red = linear[color.red]
    let green = linear[color.green]
    let blue = linear[color.blue]
    return (
      0.4124 * red + 0.3576 * green + 0.1805 * blue, luminance(color),
      0.0193 * red + 0.1192 * green + 0.9505 * blue
    )
  }

  private static func root(_ t: Double) -> Double {
    t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116
  }

  private static func lab(
    _ color: (red: Int, green: Int, blue: Int)
  ) -> (Double, Double, Double) {
    let (x, y, z) = xyz(color)
    let (first, second, third) = (root(x / 0.9505), root(y), root(z / 1.089))
    return (116 * second - 16, 500 * (first - second), 200 * (second - third))
  }
}

/// The number of colours of a terminal.
package enum ColorDepth: Int, Comparable, Sendable {
  case mono, eight, sixteen, indexed, truecolor

  /// Creates the depth from terminfo's number of colours.
  package init(colors: Int) {
    self =
      switch colors {
      case ..<8: .mono
      case ..<16: .eight
      case ..<256: .sixteen
      case ..<0x100_0000: .indexed
      default: .truecolor
      }
  }

  package static func < (left: ColorDepth, right: ColorDepth) -> Bool {
    left.rawValue < right.rawValue
  }
}

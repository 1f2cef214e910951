import Glibc

/// A colour as themes name it.
package enum Color: Hashable, Sendable {
  /// The terminal's own foreground or background.
  case terminalDefault
  /// One of the 256 colours of xterm; 0-15 are the ANSI colours, whose looks the user decides.
  case indexed(UInt8)
  case rgb(UInt8, UInt8, UInt8)

  /// The names of the colours 0-15.
  package static let ansiNames = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    "bright-black", "bright-red", "bright-green", "bright-yellow", "bright-blue", "bright-magenta",
    "bright-cyan", "bright-white",
  ]

  /// Red, green and blue, 0-255; for the ANSI colours xterm's, for the terminal's own none.
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

  /// Relative luminance, 0 (black) to 1 (white) (WCAG 2.1); `nil` for the terminal's own colours.
  package var luminance: Double? {
    components.map(Self.luminance)
  }

  /// The contrast ratio of two colours, 1 to 21 (WCAG 2.1 §1.4.3); `nil` with the terminal's own.
  package static func contrast(_ a: Color, _ b: Color) -> Double? {
    guard let first = a.luminance, let second = b.luminance else { return nil }
    return contrast(first, second)
  }

  /// The colour of `range` that looks most like this one (CIE 1976 L*a*b* distance).
  /// - Parameters:
  ///   - range: indices of the 256 colours.
  ///   - background: if given, colours with less contrast against it than `contrast` are passed over
  ///     as long as there are others.
  package func nearest(
    in range: ClosedRange<UInt8>, on background: Color? = nil, contrast: Double = 1
  ) -> Color {
    guard let components else { return self }
    let own = Self.lab(components)
    let base = background?.luminance
    var best = Int(range.lowerBound)
    var bestDistance = Double.infinity
    var hasContrast = false
    // For each role that is drawn, before the first frame: a plain loop is what costs least.
    Self.palette.withUnsafeBufferPointer { palette in
      var index = best
      while index <= Int(range.upperBound) {
        defer { index += 1 }
        let candidate = palette[index]
        let (l, a, b) = (
          own.0 - candidate.lab.0, own.1 - candidate.lab.1, own.2 - candidate.lab.2
        )
        let distance = l * l + a * a + b * b
        // Most are out here: contrast costs a division.
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

  /// What is compared of each of the 256 colours: computed once, since every role of a theme is compared with all of them.
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

  private static func lab(
    _ color: (red: Int, green: Int, blue: Int)
  ) -> (Double, Double, Double) {
    let red = linear[color.red]
    let green = linear[color.green]
    let blue = linear[color.blue]
    func root(_ t: Double) -> Double {
      t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116
    }
    let x = root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505)
    let y = root(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    let z = root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089)
    return (116 * y - 16, 500 * (x - y), 200 * (y - z))
  }
}

/// How many colours a terminal shows.
package enum ColorDepth: Int, Comparable, Sendable {
  case mono, eight, sixteen, indexed, truecolor

  /// The depth of a terminal by terminfo's number of colours.
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

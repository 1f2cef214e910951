/// The graphic rendition of the next output (ECMA-48 §8.3.117), as far as the terminal's state is
/// known.
///
/// Only states that one SGR sequence can restore are known: ten attributes and the colours in their
/// common forms.
nonisolated struct Rendition: Equatable {
  /// A colour in the form in which it was selected: terminals may draw `31` and `38;5;1`
  /// differently.
  enum Colour: Equatable {
    /// The terminal's own.
    case standard
    /// 0 to 7, or 60 to 67 for the bright ones: the offset from 30 or 40.
    case basic(UInt8)
    case indexed(UInt8)
    case direct(UInt8, UInt8, UInt8)
  }

  /// The attributes by code: bit 1 is bold, bit 7 reverse. `nil` if unknown.
  private(set) var attributes: UInt16?
  private(set) var foreground: Colour?
  private(set) var background: Colour?

  /// An unknown rendition.
  static let unknown = Rendition()
  /// No attribute, and the terminal's own colours.
  static let plain = Rendition(attributes: 0, foreground: .standard, background: .standard)

  /// Returns whether a blank looks the same in both: the foreground, bold, dim and italic are
  /// invisible on it.
  func showsBlanks(as other: Rendition) -> Bool {
    guard let attributes, let others = other.attributes, let background else { return false }
    let seen: UInt16 = 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9
    let reverse: UInt16 = 1 << 7
    return background == other.background && (attributes | others) & reverse == 0
      && attributes & seen == others & seen
  }

  /// Applies `codes`.
  /// - Returns: `false` if one of them is not supported, or depends on an unknown state; the
  ///   rendition is unchanged then.
  mutating func apply(_ codes: [Int]) -> Bool {
    var (next, index) = (self, 0)
    while index < codes.count {
      let code = codes[index]
      index += 1
      switch code {
      case 0: next = .plain
      case 1...5, 7...9: next.change { $0 | 1 << UInt16(code) }
      case 22: next.change { $0 & ~0b110 }
      case 23...25, 27...29: next.change { $0 & ~(1 << UInt16(code - 20)) }
      case 30...37: next.foreground = .basic(UInt8(code - 30))
      case 90...97: next.foreground = .basic(UInt8(code - 30))
      case 40...47: next.background = .basic(UInt8(code - 40))
      case 100...107: next.background = .basic(UInt8(code - 40))
      case 39: next.foreground = .standard
      case 49: next.background = .standard
      case 38, 48:
        guard let colour = Self.colour(codes, &index) else { return false }
        if code == 38 { next.foreground = colour } else { next.background = colour }
      default: return false
      }
      if next.attributes == nil, !(30...49).contains(code), !(90...107).contains(code) {
        return false
      }
    }
    self = next
    return true
  }

  private mutating func change(_ change: (UInt16) -> UInt16) { attributes = attributes.map(change) }

  /// Reads a colour of the larger sets, as it follows 38 and 48.
  private static func colour(_ codes: [Int], _ index: inout Int) -> Colour? {
    let count = index < codes.count ? [2: 3, 5: 1][codes[index], default: 0] : 0
    let parts = codes[min(index + 1, codes.count)...].prefix(count)
    guard count > 0, parts.count == count, parts.allSatisfy({ (0...255).contains($0) }) else {
      return nil
    }
    index += 1 + count
    let values = parts.map { UInt8($0) }
    return count == 1 ? .indexed(values[0]) : .direct(values[0], values[1], values[2])
  }

  /// Returns the shortest sequence that changes the rendition to `wanted`; it may be empty.
  func change(to wanted: Rendition) -> [UInt8] {
    guard wanted != self else { return [] }
    let step = step(to: wanted)
    // An unknown state can only be cleared by a reset, as in the original output.
    guard let anew = wanted.anew else { return step ?? [] }
    guard let step, step.count <= anew.count else { return anew }
    return step
  }

  /// Returns the change from the current state; `nil` if too little is known.
  private func step(to wanted: Rendition) -> [UInt8]? {
    var sequence = Sequence()
    if attributes != wanted.attributes {
      guard let attributes, let goal = wanted.attributes else { return nil }
      // Monochrome terminals may be able to end attributes only all at once.
      if attributes & ~goal != 0, wanted.foreground == .standard, wanted.background == .standard {
        return nil
      }
      var left = attributes
      for code in UInt16(1)...9 where left & ~goal & 1 << code != 0 {
        // Bold and dim end together.
        sequence.append(code == 1 ? 22 : code + 20)
        left &= code <= 2 ? ~0b110 : ~(1 << code)
      }
      sequence.append(attributes: goal & ~left)
    }
    if let colour = wanted.foreground, colour != foreground { sequence.append(colour, on: 30) }
    if let colour = wanted.background, colour != background { sequence.append(colour, on: 40) }
    return sequence.whole
  }

  /// The sequence from a reset; `nil` if the rendition is partly unknown.
  private var anew: [UInt8]? {
    guard let attributes, let foreground, let background else { return nil }
    guard self != .plain else { return [0x1B, UInt8(ascii: "["), UInt8(ascii: "m")] }
    var sequence = Sequence()
    sequence.append(0)
    sequence.append(attributes: attributes)
    if foreground != .standard { sequence.append(foreground, on: 30) }
    if background != .standard { sequence.append(background, on: 40) }
    return sequence.whole
  }

  /// An SGR sequence under construction.
  private struct Sequence {
    private var bytes: [UInt8] = []

    var whole: [UInt8] { bytes.isEmpty ? [] : bytes + [UInt8(ascii: "m")] }

    mutating func append(_ code: UInt16) {
      bytes += bytes.isEmpty ? [0x1B, UInt8(ascii: "[")] : [UInt8(ascii: ";")]
      if code >= 100 { bytes.append(UInt8(ascii: "0") + UInt8(code / 100)) }
      if code >= 10 { bytes.append(UInt8(ascii: "0") + UInt8(code / 10 % 10)) }
      bytes.append(UInt8(ascii: "0") + UInt8(code % 10))
    }

    mutating func append(attributes: UInt16) {
      for code in UInt16(1)...9 where attributes & 1 << code != 0 { append(code) }
    }

    /// - Parameter plane: 30 for the foreground, 40 for the background.
    mutating func append(_ colour: Colour, on plane: UInt16) {
      switch colour {
      case .standard: append(plane + 9)
      case .basic(let number): append(plane + UInt16(number))
      case .indexed(let number): for code in [plane + 8, 5, UInt16(number)] { append(code) }
      case .direct(let red, let green, let blue):
        for code in [plane + 8, 2, UInt16(red), UInt16(green), UInt16(blue)] { append(code) }
      }
    }
  }
}

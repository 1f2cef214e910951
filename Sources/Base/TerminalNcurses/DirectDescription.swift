import CNcurses
import FoundationEssentials
import Terminal

/// A terminal description with direct colours (red, green and blue), for a terminal that supports
/// them although its own entry has 256: nearly all current terminals say so in COLORTERM, and the
/// matching entries of terminfo are seldom installed (interface.md, "Colours and themes").
///
/// It is the terminal's own description except for the colours, in the compiled form (term(5),
/// "Extended number format"), which ncurses accepts in TERMINFO instead of a database.
nonisolated enum DirectDescription {
  /// Returns whether the environment indicates a terminal with direct colours.
  static func isWanted(environment: [String: String]) -> Bool {
    guard ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") else { return false }
    func has(_ name: String) -> Bool { environment[name]?.isEmpty == false }
    // tmux knows the colours of the outer terminal. screen passes COLORTERM on, and interprets the
    // numbers differently.
    return has("TMUX") || !has("STY") && environment["TERM"]?.hasPrefix("screen") != true
  }

  /// Returns the description of the terminal of the last call of `setupterm`.
  /// - Parameter name: TERM.
  /// - Returns: a value of TERMINFO; `nil` if the terminal has fewer than 256 colours, or direct
  ///   colours already.
  static func ofCurrentTerminal(named name: String) -> String? {
    guard natter_number("colors") >= 256, !natter_flag("RGB"), natter_capability("setaf") != nil,
      !name.contains("|"), name.utf8.count < 128
    else { return nil }
    return Entry(name: name).compiled.map { "b64:" + $0.base64EncodedString() }
  }

  /// The number of colours: red, green and blue of eight bits each.
  private static let colors: Int32 = 0x100_0000
  private static let pairs: Int32 = 0x1_0000

  /// Returns the sequence that selects colour number p1 (terminfo(5), "Parameterized Strings"): 0
  /// to 15 are the terminal's own, all others are red, green and blue. With semicolons, because
  /// fewer terminals support colons.
  /// - Parameter plane: `3` and `9` for the foreground, `4` and `10` for the background.
  private static func selection(_ plane: String, bright: String) -> String {
    "\u{1B}[%?%p1%{8}%<%t\(plane)%p1%d%e%p1%{16}%<%t\(bright)%p1%{8}%-%d"
      + "%e\(plane)8;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m"
  }

  private struct Entry {
    let name: String
    private let flags: [Bool]
    private let numbers: [Int32]
    private let strings: [Data?]
    /// The extended capabilities, which are stored with their names.
    private let ownFlags: [String]
    private let ownNumbers: [(name: String, value: Int32)]

    init(name: String) {
      self.name = name
      flags = (0..<natter_flag_count()).map {
        let name = String(cString: natter_flag_name($0))
        // The palette cannot be changed any more.
        return name != "ccc" && natter_flag(name)
      }
      numbers = (0..<natter_number_count()).map {
        let name = String(cString: natter_number_name($0))
        return switch name {
        case "colors": DirectDescription.colors
        case "pairs": DirectDescription.pairs
        default: natter_number(name)
        }
      }
      strings = (0..<natter_string_count()).map {
        let name = String(cString: natter_string_name($0))
        return switch name {
        case "setaf": Data(DirectDescription.selection("3", bright: "9").utf8)
        case "setab": Data(DirectDescription.selection("4", bright: "10").utf8)
        case "setf", "setb", "initc", "initp", "oc": nil
        default: natter_capability(name).map { Data(bytes: $0, count: strlen($0)) }
        }
      }
      // AX: 39 and 49 are the terminal's own colours; U8: line drawing in UTF-8 only by Unicode
      // characters.
      ownFlags = (natter_flag("AX") ? ["AX"] : []) + ["RGB"]
      let lines = natter_number("U8")
      ownNumbers = lines >= 0 ? [("U8", lines)] : []
    }

    /// The compiled description; `nil` if it exceeds the maximum size.
    var compiled: Data? {
      var table = Data()
      var offsets = Data()
      for string in strings {
        guard let string else {
          offsets.append(short: -1)
          continue
        }
        offsets.append(short: table.count)
        table.append(text: string)
      }
      guard table.count <= Int(Int16.max) else { return nil }
      var entry = Data()
      let names = name.utf8.count + 1
      for value in [0o1036, names, flags.count, numbers.count, strings.count, table.count] {
        entry.append(short: value)
      }
      entry.append(text: Data(name.utf8))
      entry.append(contentsOf: flags.map { $0 ? 1 : 0 })
      entry.fillUp()
      for number in numbers { entry.append(number: number) }
      entry += offsets + table
      entry.fillUp()
      appendOwn(to: &entry)
      return entry
    }

    /// Appends the extended capabilities (term(5), "Extended storage format").
    private func appendOwn(to entry: inout Data) {
      var names = Data()
      var offsets = Data()
      for name in ownFlags + ownNumbers.map(\.name) {
        offsets.append(short: names.count)
        names.append(text: Data(name.utf8))
      }
      let count = ownFlags.count + ownNumbers.count
      for value in [ownFlags.count, ownNumbers.count, 0, count, names.count] {
        entry.append(short: value)
      }
      entry.append(contentsOf: ownFlags.map { _ in 1 })
      entry.fillUp()
      for number in ownNumbers { entry.append(number: number.value) }
      entry += offsets + names
    }
  }
}

nonisolated extension Data {
  /// Appends a number of 16 bits, little-endian.
  fileprivate mutating func append(short value: Int) {
    let bits = UInt16(truncatingIfNeeded: value)
    append(contentsOf: [UInt8(bits & 0xFF), UInt8(bits >> 8)])
  }

  /// Appends a number of 32 bits, little-endian.
  fileprivate mutating func append(number value: Int32) {
    let bits = UInt32(bitPattern: value)
    append(contentsOf: (0..<4).map { UInt8(bits >> (8 * $0) & 0xFF) })
  }

  /// Appends a text and its terminating zero.
  fileprivate mutating func append(text: Data) {
    append(text)
    append(0)
  }

  /// Pads to an even offset.
  fileprivate mutating func fillUp() {
    if count % 2 != 0 { append(0) }
  }
}

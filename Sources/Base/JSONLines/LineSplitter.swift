/// Splits bytes that arrive in pieces into lines. Memory is bounded: a line over the limit is
/// skipped up to its end, and reported.
package struct LineSplitter: Sendable {
  package enum Line: Hashable, Sendable {
    /// A line, without its line feed.
    case line([UInt8])
    /// A line longer than the limit was skipped.
    case tooLong
  }

  private let limit: Int
  private var line: [UInt8] = []
  private var isSkipping = false

  /// - Parameter limit: the length of the longest line that is taken, in bytes.
  package init(limit: Int = 1 << 20) { self.limit = limit }

  /// The bytes of the line whose end is missing.
  package var waitingCount: Int { line.count }

  /// Skips the line whose end is missing as one that is too long.
  package mutating func skip() {
    isSkipping = true
    line = []
  }

  /// Takes the next bytes, and returns the lines that end in them.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> [Line] {
    var lines: [Line] = []
    for byte in bytes {
      if byte == 0x0A {
        lines.append(isSkipping ? .tooLong : .line(line))
        line = []
        isSkipping = false
      } else if !isSkipping {
        if line.count == limit {
          isSkipping = true
          line = []
        } else {
          line.append(byte)
        }
      }
    }
    return lines
  }
}

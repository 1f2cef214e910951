/// Finds the end of a stanza that is not read because it exceeds a limit of the parser.
///
/// A stranger can send such a stanza, and servers forward and archive it: if it ended the stream,
/// the account could never connect again. Its well-formedness is not checked.
struct StanzaSkipper {
  private enum State { case text, tagStart, tag, quoted(UInt8), endTag, special(end: UInt8) }

  private var state = State.text
  private var depth = 0
  private var previous: UInt8 = 0
  private var beforePrevious: UInt8 = 0
  /// The number of bytes that were skipped.
  private(set) var count = 0
  private(set) var finder: DelayFinder

  /// - Parameter kept: The offsets of the names of the elements whose delays are found.
  init(findingDelaysIn kept: [Int] = []) { finder = DelayFinder(in: kept) }

  /// Returns the stanza's name in `bytes`, which begin with it; `nil` if it is no stanza.
  static func name(of bytes: ArraySlice<UInt8>) -> String? {
    ["message", "presence", "iq"].first { name in
      let begin = Array("<\(name)".utf8)
      guard bytes.starts(with: begin), let next = bytes.dropFirst(begin.count).first else {
        return false
      }
      return next <= 0x20 || next == UInt8(ascii: ">") || next == UInt8(ascii: "/")
    }
  }

  /// Continues in `bytes`.
  /// - Returns: The rest after the stanza's end; `nil` when the stanza continues.
  mutating func rest(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    for index in bytes.indices {
      if isEnd(bytes[index], at: count + index - bytes.startIndex) {
        count += index + 1 - bytes.startIndex
        return bytes[(index + 1)...]
      }
    }
    count += bytes.count
    return nil
  }

  /// - Parameter offset: That of the byte in the stanza.
  private mutating func isEnd(_ byte: UInt8, at offset: Int) -> Bool {
    defer { (beforePrevious, previous) = (previous, byte) }
    switch state {
    case .text:
      if byte == UInt8(ascii: "<") { state = .tagStart }
    case .tagStart:
      switch byte {
      case UInt8(ascii: "/"): state = .endTag
      // A CDATA section may contain anything but its end.
      case UInt8(ascii: "!"): state = .special(end: UInt8(ascii: "]"))
      case UInt8(ascii: "?"): state = .special(end: UInt8(ascii: "?"))
      default:
        state = .tag
        finder.begin(at: offset, inside: depth)
        finder.take(byte)
      }
    case .tag:
      finder.take(byte)
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""): state = .quoted(byte)
      case UInt8(ascii: ">"):
        state = .text
        finder.end(inside: depth)
        if previous == UInt8(ascii: "/") { finder.close(to: depth) } else { depth += 1 }
        return depth == 0
      default: break
      }
    case .quoted(let quote):
      finder.take(byte)
      if byte == quote { state = .tag }
    case .endTag:
      guard byte == UInt8(ascii: ">") else { break }
      state = .text
      depth -= 1
      finder.close(to: depth)
      return depth == 0
    case .special(let end):
      let isOver =
        previous == end && (end == UInt8(ascii: "?") || beforePrevious == end)
      if byte == UInt8(ascii: ">"), isOver { state = .text }
    }
    return false
  }
}

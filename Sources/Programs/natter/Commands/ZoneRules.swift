/// The offsets of a time zone from UTC, out of a file of the zone database (TZif, RFC 8536).
///
/// The zone of a process can be changed with TZ only for all of its threads, and its screen.
nonisolated struct ZoneRules: Hashable, Sendable {
  /// The moments at which the offset changes, in seconds since 1970, increasing.
  private let changes: [Int]
  /// The offsets that begin with them, in seconds east of UTC.
  private let offsets: [Int]
  /// The offset before the first of them.
  private let first: Int
  /// The rule after the last of them; `nil`: it stays the same.
  private let rest: ZoneFooter?

  /// The longest file that is read, in bytes; those of the zone database have a few thousand.
  static let byteLimit = 1 << 20

  /// - Returns: `nil` for bytes that are not a file of the zone database.
  init?(_ file: [UInt8]) {
    guard file.count <= Self.byteLimit, var header = Header(file, at: 0) else { return nil }
    var width = 4
    if header.version > 0 {
      // The same again, with longer times.
      guard let second = Header(file, at: header.end(width: width)) else { return nil }
      (header, width) = (second, 8)
    }
    let end = header.end(width: width)
    guard header.types > 0, end <= file.count else { return nil }
    let indices = header.start + header.times * width
    let types = indices + header.times
    func offset(_ type: Int) -> Int? {
      guard type < header.types else { return nil }
      return Self.number(file[(types + type * 6)...].prefix(4))
    }
    var (changes, offsets) = ([Int](), [Int]())
    for index in 0..<header.times {
      let change = Self.number(file[(header.start + index * width)...].prefix(width))
      guard changes.last.map({ $0 < change }) ?? true,
        let offset = offset(Int(file[indices + index]))
      else { return nil }
      changes.append(change)
      offsets.append(offset)
    }
    guard let first = offset(0) else { return nil }
    (self.changes, self.offsets, self.first) = (changes, offsets, first)
    guard width == 8, let footer = Self.footer(file[end...]) else {
      rest = nil
      return
    }
    guard !footer.isEmpty else {
      rest = nil
      return
    }
    guard let rule = ZoneFooter(footer) else { return nil }
    rest = rule
  }

  /// The counts of a part of the file (RFC 8536 §3.1).
  private struct Header {
    let version: UInt8
    /// The index of its first byte after the counts.
    let start: Int
    let times: Int
    let types: Int
    private let characters: Int
    private let leaps: Int
    private let marks: Int

    init?(_ file: [UInt8], at offset: Int) {
      guard offset + 44 <= file.count, file[offset...].starts(with: "TZif".utf8) else { return nil }
      version = file[offset + 4]
      let counts = (0..<6).map { ZoneRules.number(file[(offset + 20 + $0 * 4)...].prefix(4)) }
      guard counts.allSatisfy({ (0...ZoneRules.byteLimit).contains($0) }) else { return nil }
      marks = counts[0] + counts[1]
      (leaps, times, types, characters) = (counts[2], counts[3], counts[4], counts[5])
      start = offset + 44
    }

    /// - Parameter width: of a time, in bytes.
    func end(width: Int) -> Int {
      start + times * (width + 1) + types * 6 + characters + leaps * (width + 4) + marks
    }
  }

  /// Reads a signed number whose first byte is the highest one.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    let value = bytes.reduce(Int64(0)) { $0 << 8 | Int64($1) }
    return bytes.count == 4 ? Int(Int32(truncatingIfNeeded: value)) : Int(value)
  }

  /// Returns the text of the footer (RFC 8536 §3.3); `nil` if there is none.
  private static func footer(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard bytes.first == 0x0A, let end = bytes.dropFirst().firstIndex(of: 0x0A) else { return nil }
    return bytes[(bytes.startIndex + 1)..<end]
  }

  /// Returns the offset at a moment, in seconds since 1970.
  func offset(at moment: Int) -> Int {
    guard let last = changes.last, moment < last else {
      return rest?.offset(at: moment) ?? offsets.last ?? first
    }
    // The number of changes up to the moment.
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle] <= moment { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : offsets[low - 1]
  }

  /// Returns the offset of a local time, in local seconds since 1970: the earlier one where clocks
  /// showed it twice, and where they left it out.
  func offset(ofLocal local: Int) -> Int {
    // Years that no history has.
    guard (-(1 << 48)...(1 << 48)).contains(local) else { return first }
    let (before, after) = (offset(at: local - 86_400), offset(at: local + 86_400))
    if offset(at: local - before) == before { return before }
    return offset(at: local - after) == after ? after : before
  }
}

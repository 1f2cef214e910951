/// Reads a file, or a part of it, line by line.
struct LineReader {
  struct Line {
    /// Without its end; empty if it is too long.
    let bytes: [UInt8]
    /// From 1.
    let number: Int
    /// Indicates that it is longer than the limit, and was not read.
    let isTooLong: Bool
    /// Indicates that a line feed ends it, and not the end of the file.
    let hasEnd: Bool
  }

  private let file: HistoryFile
  private let limit: Int
  private let end: Int
  private var offset: Int
  private var piece: ArraySlice<UInt8> = []
  private var number = 0
  private var returned: Line?

  /// - Parameter limit: the longest line, in bytes.
  init(_ file: HistoryFile, from start: Int = 0, count: Int? = nil, limit: Int = 2 << 20) {
    self.file = file
    self.limit = limit
    offset = start
    end = start + (count ?? max(0, file.byteCount - start))
  }

  /// Returns the next line; `nil` at the end.
  mutating func next() throws(ImportFailure) -> Line? {
    if let line = returned {
      returned = nil
      return line
    }
    var bytes: [UInt8] = []
    var isTooLong = false
    var (isEmpty, hasEnd) = (true, false)
    while !hasEnd {
      if piece.isEmpty {
        piece = try file.bytes(
          at: offset, count: min(HistoryFile.pieceByteCount, max(0, end - offset)))[...]
        offset += piece.count
        guard !piece.isEmpty else {
          if isEmpty { return nil }
          break
        }
      }
      isEmpty = false
      let part = piece.prefix { $0 != 0x0A }
      if bytes.count + part.count > limit {
        (isTooLong, bytes) = (true, [])
      } else if !isTooLong {
        bytes += part
      }
      hasEnd = part.count < piece.count
      piece = piece.dropFirst(part.count + 1)
    }
    number += 1
    return Line(bytes: bytes, number: number, isTooLong: isTooLong, hasEnd: hasEnd)
  }

  /// Has the next call of `next` return this line again.
  mutating func giveBack(_ line: Line) { returned = line }
}

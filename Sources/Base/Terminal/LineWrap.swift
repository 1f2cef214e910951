/// Breaking text into rows (interface.md, "Line breaks"; UAX #14, simplified).
///
/// A row ends at blanks, at zero width spaces and beside ideographs and emoji (but not before `、。）`
/// nor after `（「`). Punctuation with a blank before it in French, as ` ?` and ` »`, stays with the
/// previous word, and a word after `« ` with that (UAX #14, LB13 to LB15). A word that is longer
/// than a whole row is broken after `-` `/` `?` `&` if it has them, else at the edge, never inside
/// a grapheme cluster. Line ends of the text always end a row. Blanks at which a row is broken
/// belong to no row.
package enum LineWrap {
  /// Returns the rows of `text`, each of at most `width` columns, as parts of the text itself.
  /// - Parameter firstWidth: the columns of the first row if it differs from the others.
  /// - Returns: at least one row (empty text has one empty row); none if `width` is less than 1.
  package static func rows(
    of text: String, width: Int, firstWidth: Int? = nil
  ) -> [Substring] {
    text.withBytes { ranges(in: $0, width: width, firstWidth: firstWidth) }.map { range in
      let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
      return text[start..<text.utf8.index(start, offsetBy: range.count)]
    }
  }

  /// Returns the rows of UTF-8 text, as ranges of bytes.
  static func ranges(
    in bytes: UnsafeBufferPointer<UInt8>, width: Int, firstWidth: Int? = nil
  ) -> [ByteRow] {
    guard width > 0 else { return [] }
    var wrap = RowBreaker(width: width, firstWidth: max(1, firstWidth ?? width))
    scanClusters(bytes) { cluster in
      wrap.add(cluster)
      return true
    }
    return wrap.finish(at: bytes.count)
  }
}

/// The bytes of a row. The generic `Range` would cost the first frame a search for protocol
/// conformances.
struct ByteRow: Equatable {
  let lowerBound: Int
  let upperBound: Int
  var count: Int { upperBound - lowerBound }
  var range: Range<Int> { lowerBound..<upperBound }

  init(_ lowerBound: Int, _ upperBound: Int) {
    (self.lowerBound, self.upperBound) = (lowerBound, upperBound)
  }
}

/// The state of one scan over a text.
private struct RowBreaker {
  private let width: Int
  /// The columns of the row being filled.
  private var limit: Int
  private var rows: [ByteRow] = []
  private var rowStart = 0
  private var used = 0
  /// The last position where the row may end: its end, the next row's start, the columns up to that
  /// start.
  private var hard: (end: Int, next: Int, columns: Int)?
  /// The same before the run of blanks that precedes this position: where a row ends if it cannot
  /// end at the blanks.
  private var hardBeforeBlanks: (end: Int, next: Int, columns: Int)?
  /// The last position inside a word where the row may end if there is no other.
  private var soft: (at: Int, columns: Int)?
  private var previous = BreakClass.none
  /// The start of the run of blanks before this position.
  private var blankStart = 0
  /// Indicates whether opening punctuation, which does not end a row, precedes the blanks.
  private var followsOpening = false

  init(width: Int, firstWidth: Int) {
    self.width = width
    limit = firstWidth
  }

  mutating func add(_ cluster: Cluster) {
    let kind = BreakClass(cluster)
    if kind == .lineEnd {
      endRow(at: endWithoutOverflow(cluster.start), next: cluster.end)
      (used, hard, soft, previous) = (0, nil, nil, .none)
      return
    }
    if kind == .blank || kind == .zeroWidthSpace {
      if previous != .blank, previous != .zeroWidthSpace {
        blankStart = cluster.start
        hardBeforeBlanks = hard
        followsOpening = previous == .opening
      }
      used += cluster.columns
      hard = (blankStart, cluster.end, used)
      previous = kind
      return
    }
    // The row ends at these blanks if nothing else could end it, or if both parts do not fit in one
    // row.
    if previous == .blank, let before = hardBeforeBlanks,
      used - before.columns + cluster.columns <= width,
      followsOpening || BreakClass.isSetApart(cluster.first.value)
    {
      hard = before
    }
    if previous.mayBreak(before: kind), cluster.start > rowStart {
      hard = (cluster.start, cluster.start, used)
    }
    let columns = cluster.columns
    while used + columns > limit, used > 0 {
      if let hard {
        endRow(at: hard.end, next: hard.next)
        used -= hard.columns
        if let soft, soft.at > hard.next {
          self.soft = (soft.at, soft.columns - hard.columns)
        } else {
          self.soft = nil
        }
        self.hard = nil
      } else if let soft {
        endRow(at: soft.at, next: soft.at)
        used -= soft.columns
        self.soft = nil
      } else {
        endRow(at: cluster.start, next: cluster.start)
        used = 0
      }
    }
    used += columns
    if kind == .wordBreak { soft = (cluster.end, used) }
    previous = kind
  }

  mutating func finish(at end: Int) -> [ByteRow] {
    rows.append(ByteRow(rowStart, max(rowStart, endWithoutOverflow(end))))
    return rows
  }

  /// Returns the actual end of a line that ends at `end`: blanks that do not fit get no row of
  /// their own.
  private func endWithoutOverflow(_ end: Int) -> Int {
    used > limit && (previous == .blank || previous == .zeroWidthSpace) ? blankStart : end
  }

  private mutating func endRow(at end: Int, next: Int) {
    rows.append(ByteRow(rowStart, max(rowStart, end)))
    rowStart = next
    limit = width
  }
}

/// The class of a cluster in line breaking.
private enum BreakClass {
  /// The start of a line.
  case none
  case lineEnd, blank, zeroWidthSpace
  case letter
  /// A character after which a long word may be broken.
  case wordBreak
  /// Ideographs, kana, Hangul, emoji: a row may end before and after them.
  case ideograph
  /// Characters of any width that do not begin a row.
  case closing
  /// Characters that do not end a row.
  case opening

  init(_ cluster: Cluster) {
    let value = cluster.first.value
    if value < 0x80 {
      switch UInt8(truncatingIfNeeded: value) {
      case 0x20, 0x09: self = .blank
      case 0x0A: self = .lineEnd
      case 0x0D: self = cluster.end - cluster.start == 2 ? .lineEnd : .letter
      case UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "&"): self = .wordBreak
      case UInt8(ascii: "?"): self = .wordBreak
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ","),
        UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: ":"), UInt8(ascii: ";"),
        UInt8(ascii: "%"):
        self = .closing
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): self = .opening
      default: self = .letter
      }
      return
    }
    switch value {
    case 0x2028, 0x2029: self = .lineEnd
    case 0x200B: self = .zeroWidthSpace
    case 0x1680, 0x2000...0x2006, 0x2008...0x200A, 0x205F, 0x3000: self = .blank
    default:
      if Self.closings.contains(value) {
        self = .closing
      } else if Self.openings.contains(value) {
        self = .opening
      } else {
        switch ScalarClass(value) {
        case .wide, .wideJoining, .regional: self = .ideograph
        default: self = .letter
        }
      }
    }
  }

  /// Returns whether a row may end between a cluster of this class and one of the next.
  func mayBreak(before next: BreakClass) -> Bool {
    if next == .closing || next == .wordBreak || self == .opening { return false }
    switch self {
    case .none, .lineEnd, .blank, .zeroWidthSpace: return false
    case .ideograph: return true
    // A row may end after "。", and after "." only before an ideograph.
    case .closing: return next == .ideograph
    case .letter, .wordBreak, .opening: return next == .ideograph
    }
  }

  /// Returns whether it is punctuation with a blank before it in French, which still does not begin
  /// a row.
  static func isSetApart(_ value: UInt32) -> Bool {
    switch value {
    case 0x21, 0x3A, 0x3B, 0x3F, 0xBB, 0x203A: true  // ! : ; ? » ›
    default: false
    }
  }

  private static let closings = scalars(
    "、。，．・：；？！゛゜ヽヾゝゞ々〻ー」』】〕〉》）］｝〙〗〟’”»›…‥％‰℃°ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ"
      + "｡､｣･ｰ")
  private static let openings = scalars("（「『【〔〈《［｛〘〖〝‘“«‹￥＄£｢")

  private static func scalars(_ text: String) -> Set<UInt32> {
    Set(text.unicodeScalars.map(\.value))
  }
}

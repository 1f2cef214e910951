import FoundationEssentials
import NatterCore
import XMPP

/// The known history of a conversation: the combined ranges of the archive with its peer and of the
/// whole archive.
///
/// Ranges are compared by the stored timestamps of messages: those follow the archive's order, and
/// its ids show none.
struct ArchiveCoverage: Hashable {
  /// A stretch of which every message is in the database.
  struct Span: Hashable {
    /// The range that begins it, and the one that ends it.
    var first: ArchiveRange
    var last: ArchiveRange
    var reachesBeginning: Bool

    var start: ArchivePosition { first.start }
    var end: ArchivePosition { last.end }
  }

  /// The gap between two spans.
  struct Hole: Hashable {
    let older: Span
    let newer: Span

    /// The identity of a gap while it is filled: the range after it, and its conversation.
    struct Key: Hashable {
      let row: Int64?
      let peer: JID?
    }

    /// Returns the identity of this gap.
    func key(with peer: JID?) -> Key { Key(row: newer.first.row, peer: peer) }
  }

  /// Oldest first; no two touch.
  private(set) var spans: [Span] = []

  init(_ ranges: [ArchiveRange]) {
    func begin(_ range: ArchiveRange) -> Date {
      range.reachesBeginning ? .distantPast : range.start.at
    }
    for range in ranges.sorted(by: { (begin($0), $0.end.at) < (begin($1), $1.end.at) }) {
      guard let last = spans.indices.last,
        begin(range) <= spans[last].end.at || Self.areOne(spans[last].end, range.start)
      else {
        spans.append(Span(first: range, last: range, reachesBeginning: range.reachesBeginning))
        continue
      }
      if range.end.at > spans[last].end.at { spans[last].last = range }
      if range.reachesBeginning { spans[last].reachesBeginning = true }
    }
  }

  /// Returns `true` if a range begins with the message that another ends with: a session may have
  /// received it again and taken it for new.
  static func areOne(_ end: ArchivePosition, _ start: ArchivePosition) -> Bool {
    !end.id.isEmpty && end.id == start.id
  }

  /// The intervals that are not known to be empty: before each span that does not begin the
  /// archive; oldest first.
  var gaps: [(older: Span?, newer: Span)] {
    zip([nil] + spans.map(Optional.some), spans).filter { !$1.reachesBeginning }.map {
      (older: $0, newer: $1)
    }
  }

  /// Inserts a separate range before `newer`, as a span of its own.
  mutating func insert(_ range: ArchiveRange, before newer: Span) {
    let span = Span(first: range, last: range, reachesBeginning: range.reachesBeginning)
    spans.insert(span, at: spans.firstIndex(of: newer) ?? 0)
  }

  /// Oldest first.
  var holes: [Hole] { zip(spans, spans.dropFirst()).map { Hole(older: $0, newer: $1) } }

  /// The newest gap that the server may fill.
  /// - Parameters:
  ///   - unfillable: those that it cannot fill.
  ///   - peer: the conversation of this coverage; `nil`: the whole archive.
  func newestHole(except unfillable: Set<Hole.Key>, with peer: JID?) -> Hole? {
    holes.last { !unfillable.contains($0.key(with: peer)) }
  }

  /// The newest gap that begins at `date` or before and ends there or later.
  func hole(at date: Date) -> Hole? {
    holes.last { $0.older.end.at <= date && $0.newer.start.at >= date }
  }

  /// The gap with the same sides as `other`; `nil` if it changed meanwhile.
  func hole(like other: Hole) -> Hole? {
    holes.first { $0.older.end == other.older.end && $0.newer.start == other.newer.start }
  }

  /// The end of the last stored range before the older side of `hole`; `nil`: none is known.
  func end(before hole: Hole) -> Date? {
    spans.last { $0.last.row != nil && $0.end.at < hole.older.start.at }?.end.at
  }
}

/// The relation of a page that was read backwards to the known part before it.
enum ArchiveContact: Hashable {
  /// They do not meet: messages may be missing in between.
  case none
  /// It reaches the known part.
  case met
  /// Nothing precedes it in the archive, in spite of the known part.
  case beginning

  init(of page: XEP0313Page, with position: ArchivePosition, tolerance: TimeInterval) {
    if page.isComplete || page.isEmpty(beyond: nil) {
      self = .beginning
    } else if !position.id.isEmpty,
      page.newest == position.id || page.results.contains(where: { $0.id == position.id })
    {
      self = .met
    } else if let first = page.results.first,
      first.stamp < position.at.addingTimeInterval(-tolerance)
    {
      // The id is gone, or is that of another conversation's message.
      self = .met
    } else {
      self = .none
    }
  }
}

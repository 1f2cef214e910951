import FoundationEssentials
import NatterCore
import XMPP

/// What is known of a conversation's past: the ranges of an archive about it and about everything, put together.
///
/// Ranges are compared by the times that messages are stored with: those follow the archive's order, its ids tell none.
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

  /// The space between two spans.
  struct Hole: Hashable {
    let older: Span
    let newer: Span

    /// What stays the same while it is filled: the range after it, and the conversation in question.
    struct Key: Hashable {
      let row: Int64?
      let peer: JID?
    }
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

  /// Whether a range begins with what another ends with: a session may have been sent that once more, and taken it for new.
  static func areOne(_ end: ArchivePosition, _ start: ArchivePosition) -> Bool {
    !end.id.isEmpty && end.id == start.id
  }

  /// The spaces that are not known to be empty: what is before each span that does not begin the archive; oldest first.
  var gaps: [(older: Span?, newer: Span)] {
    zip([nil] + spans.map(Optional.some), spans).filter { !$1.reachesBeginning }.map {
      (older: $0, newer: $1)
    }
  }

  /// Puts what lies by itself before `newer`, as a span of its own.
  mutating func insert(_ range: ArchiveRange, before newer: Span) {
    let span = Span(first: range, last: range, reachesBeginning: range.reachesBeginning)
    spans.insert(span, at: spans.firstIndex(of: newer) ?? 0)
  }

  /// Oldest first.
  var holes: [Hole] { zip(spans, spans.dropFirst()).map { Hole(older: $0, newer: $1) } }
}

/// How a page that was read backwards meets what is known before it.
enum ArchiveContact: Hashable {
  /// It does not: something may lie between.
  case none
  /// It reaches what is known.
  case met
  /// Nothing lies before it in the archive, whatever was known.
  case beginning

  init(of page: XEP0313Page, with place: ArchivePosition, tolerance: TimeInterval) {
    if page.results.isEmpty || page.isComplete {
      self = .beginning
    } else if !place.id.isEmpty,
      page.newest == place.id || page.results.contains(where: { $0.id == place.id })
    {
      self = .met
    } else if let first = page.results.first,
      first.stamp < place.at.addingTimeInterval(-tolerance)
    {
      // The id is gone, or is that of another conversation's message.
      self = .met
    } else {
      self = .none
    }
  }
}

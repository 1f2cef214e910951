import FoundationEssentials
import NatterCore
import XMPP

/// The search through the account's history for peers that no list has, in one session, and how the
/// database keeps its progress. It does no I/O.
struct PastSearch: Hashable, Sendable {
  /// The progress of earlier sessions.
  enum Progress: Hashable {
    /// Nothing is kept.
    case unknown
    /// Back to this position.
    case reached(ArchivePosition)
    /// All of it, or as much as is searched.
    case complete
  }

  /// The age up to which the archive is searched, in seconds.
  static let reach: TimeInterval = 90 * 86400
  /// The setting that stores the progress, and its value when there is no more.
  static let (key, everything) = ("archive.searched", "all")

  /// `true` if all of it was searched, or cannot be.
  var isOver = false
  /// The peers that it has found.
  var met: Set<JID> = []

  /// Reads the progress; a text that no version has stored counts as none.
  static func progress(from text: String?) -> Progress {
    guard text != everything else { return .complete }
    guard let parts = text?.split(separator: " ", maxSplits: 1), parts.count == 2,
      let seconds = TimeInterval(parts[0])
    else { return .unknown }
    return .reached(
      ArchivePosition(id: String(parts[1]), at: Date(timeIntervalSince1970: seconds)))
  }

  /// Returns the stored form of the progress.
  static func text(of progress: Progress) -> String? {
    switch progress {
    case .unknown: nil
    case .reached(let point): "\(point.at.timeIntervalSince1970) \(point.id)"
    case .complete: everything
    }
  }

  /// Returns the progress after the page before `point`.
  static func progress(after page: XEP0313Page, before point: ArchivePosition) -> Progress {
    let next = ArchivePosition(
      id: page.oldest ?? point.id, at: min(point.at, page.results.first?.stamp ?? point.at))
    return page.isComplete || next.id == point.id ? .complete : .reached(next)
  }

  /// Returns whether what is before `point` is searched.
  static func reaches(_ point: ArchivePosition, now: Date) -> Bool {
    point.at > now.addingTimeInterval(-reach)
  }
}

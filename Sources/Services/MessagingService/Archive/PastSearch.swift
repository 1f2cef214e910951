import FoundationEssentials
import NatterCore
import XMPP

/// The search through the account's history for peers that no list has, in one session. It does no
/// I/O.
struct PastSearch: Hashable, Sendable {
  /// The age up to which the archive is searched, in seconds.
  static let reach: TimeInterval = 90 * 86400

  /// `true` if all of it was searched, or cannot be.
  var isOver = false
  /// The peers that it has found.
  var met: Set<JID> = []

  /// Returns the progress after the page before `point`.
  static func progress(after page: XEP0313Page, before point: ArchivePosition)
    -> ArchiveSearchProgress
  {
    let next = ArchivePosition(
      id: page.oldest ?? point.id, at: min(point.at, page.results.first?.stamp ?? point.at))
    return page.isComplete || next.id == point.id ? .complete : .reached(next)
  }

  /// Returns whether what is before `point` is searched.
  static func reaches(_ point: ArchivePosition, now: Date) -> Bool {
    point.at > now.addingTimeInterval(-reach)
  }
}

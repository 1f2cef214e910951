import FoundationEssentials
import NatterCore
import XMPP

/// The holes that are filled, in one session.
struct HoleFilling: Sendable {
  /// Those that the server cannot fill.
  var unfillable: Set<ArchiveCoverage.Hole.Key> = []
  var isUnderWay = false
}

/// The search through the account's past for people on no list, in one session.
struct PastSearch: Sendable {
  /// How far back the archive is looked through, seconds.
  static let reach: TimeInterval = 90 * 86400
  /// The setting that keeps how far the archive was looked through, and its value when there is no more.
  static let (key, everything) = ("archive.searched", "all")

  /// Whether all of it was looked through, or cannot be.
  var isOver = false
  /// Whom it has found.
  var met: Set<JID> = []
}

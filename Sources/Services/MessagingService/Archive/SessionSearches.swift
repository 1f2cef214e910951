import FoundationEssentials
import NatterCore
import XMPP

/// The gaps that are filled in one session.
struct HoleFilling: Sendable {
  /// The gaps that the server cannot fill.
  var unfillable: Set<ArchiveCoverage.Hole.Key> = []
  var isUnderWay = false
}

/// The search through the account's history for peers that no list has, in one session.
struct PastSearch: Sendable {
  /// The age up to which the archive is searched, in seconds.
  static let reach: TimeInterval = 90 * 86400
  /// The setting that stores how far the archive was searched, and its value when there is no more.
  static let (key, everything) = ("archive.searched", "all")

  /// `true` if all of it was searched, or cannot be.
  var isOver = false
  /// The peers that it has found.
  var met: Set<JID> = []
}

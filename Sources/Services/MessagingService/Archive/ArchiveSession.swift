import FoundationEssentials
import NatterCore
import XMPP

/// All that is known of archives in one session: made at its start, dropped at its end.
struct ArchiveSession: SessionScoped {
  /// The channel of queries; `nil`: there is no session, or it is ending.
  var channel: (any StanzaChannel)?
  /// Indicates whether the account's own archive is read, or was.
  var hasStarted = false
  /// Indicates whether the session is one of an earlier run, or was interrupted at its start.
  var isTakenUp = false
  /// The readings of archives, by the archive's owner.
  var open: [JID: OpenArchive] = [:]
  /// The rooms that were joined, each with its membership at that time.
  var visited: [JID: RoomMembership] = [:]
  /// Archives that cannot be read.
  var unreadable: Set<JID> = []
  /// Those of rooms that announce one, and why.
  var refusals: [JID: HistoryRefusal] = [:]
  /// Indicates whether an archive takes two ids at once, as far as it was asked.
  var extended: [JID: Bool] = [:]
  /// Indicates whether the account's archive can be searched; `nil`: it was not asked.
  var isSearchable: Bool?
  /// The gaps that the server cannot fill.
  var unfillable: Set<ArchiveCoverage.Hole.Key> = []
  /// The search of the account's archive for senders outside the roster.
  var pastSearch = PastSearch()
}

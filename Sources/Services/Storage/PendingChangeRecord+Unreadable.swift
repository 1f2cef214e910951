import FoundationEssentials
import NatterCore
import SQLite

// Changes that cannot be read, such as those of a later version. They are not absent: they stay in
// the file, and their owner reports them.
extension PendingChangeRecord {
  /// Returns the changes of some kinds that cannot be read, in the order of their rows.
  static func unreadable(
    of kinds: Set<PendingChangeKind>, in db: DatabaseConnection
  ) throws -> [UnreadableChange] {
    let decoder = decoder()
    var found: [(row: Int64, change: UnreadableChange)] = []
    for kind in kinds {
      let type = changeType(of: kind)
      let rows = try db.rows(
        "SELECT id, subject, payload FROM pending_change WHERE kind = ?", kind.rawValue
      ) { row -> (row: Int64, change: UnreadableChange)? in
        guard (try? decoder.decode(type, from: Data(row.string(2).utf8))) == nil else { return nil }
        return (row.int64(0), UnreadableChange(kind, of: parts(ofName: row.string(1))))
      }
      found += rows.compactMap(\.self)
    }
    return found.sorted { $0.row < $1.row }.map(\.change)
  }

  private static func parts(ofName name: String) -> [String] {
    name.isEmpty
      ? []
      : name.split(separator: "\u{1f}", omittingEmptySubsequences: false).map(String.init)
  }

  private static func changeType(of kind: PendingChangeKind) -> any PendingChange.Type {
    switch kind {
    case .contact: ContactChangeRecord.self
    case .card: CardChange.self
    case .visibility: VisibilityChange.self
    case .picture: PictureChange.self
    case .presence: PresenceChange.self
    case .follow: FollowChange.self
    case .post: PostChange.self
    case .event: EventChangeRecord.self
    case .answer: EventAnswerRecord.self
    case .bookmark: BookmarkChangeRecord.self
    case .notifications: NotificationChangeRecord.self
    }
  }
}

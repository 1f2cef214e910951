import NatterCore
import SQLite
import XMPP

/// A pending change of the bookmark of a room (XEP-0402). The room itself is stored as the user
/// wants it.
struct BookmarkChangeRecord: PendingChange {
  static let kind = PendingChangeKind.bookmark

  /// The bare address.
  let room: String

  var subject: [String] { [room] }
}

/// A pending notification setting of a room (XEP-0492).
struct NotificationChangeRecord: PendingChange {
  static let kind = PendingChangeKind.notifications

  /// The bare address.
  let room: String
  /// `nil` removes the setting of this room.
  let setting: XEP0492Notification?

  var subject: [String] { [room] }
}

/// The pending changes of the bookmarks of an account.
struct BookmarkChanges {
  private let changes: [String: PendingChangeRecord.Row<BookmarkChangeRecord>]
  private let settings: [String: PendingChangeRecord.Row<NotificationChangeRecord>]

  init(in db: DatabaseConnection) throws {
    changes = Dictionary(
      try PendingChangeRecord.all(BookmarkChangeRecord.self, in: db).map { ($0.change.room, $0) },
      uniquingKeysWith: { $1 })
    settings = Dictionary(
      try PendingChangeRecord.all(NotificationChangeRecord.self, in: db)
        .map { ($0.change.room, $0) }, uniquingKeysWith: { $1 })
  }

  /// Returns a stored bookmark with its pending changes.
  func applied(to bookmark: Bookmark) -> Bookmark {
    var bookmark = bookmark
    let (change, rule) = (
      changes[bookmark.room.description], settings[bookmark.room.description]
    )
    bookmark.isChanged = change != nil
    bookmark.rule = rule.map { PendingNotificationRule($0.change.setting) }
    bookmark.refusal = change?.refusal ?? rule?.refusal
    return bookmark
  }

  /// Stores the pending changes of a bookmark, instead of those that were stored; those that cannot
  /// be read stay, unless there is one of the same kind.
  static func save(_ bookmark: Bookmark, in db: DatabaseConnection) throws {
    let room = bookmark.room.description
    if bookmark.isChanged {
      try PendingChangeRecord.keep(
        BookmarkChangeRecord(room: room), refusal: bookmark.refusal, in: db)
    } else {
      try PendingChangeRecord.clear(BookmarkChangeRecord.self, of: [room], in: db)
    }
    if let rule = bookmark.rule {
      try PendingChangeRecord.keep(
        NotificationChangeRecord(room: room, setting: rule.setting), refusal: bookmark.refusal,
        in: db)
    } else {
      try PendingChangeRecord.clear(NotificationChangeRecord.self, of: [room], in: db)
    }
  }
}

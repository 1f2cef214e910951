import SQLite

/// The schema of an account's database: a baseline, made in one go, and the steps since.
///
/// A step that was released is never changed; new ones are appended to the list. The tests keep a
/// script for each version (`Tests/StorageTests/Fixtures`) and bring a file of it to the newest.
///
/// In all tables times are microseconds since 1970-01-01 UTC, addresses are prepared (RFC 7622) and
/// truth values are 0 and 1. `Resources/docs/database.md` describes every column.
package enum Schema {
  /// `Natt` in ASCII. Files of development builds, made before the baseline, have none.
  static let applicationID: Int32 = 0x4e61_7474

  package static let migrator = Migrator(
    [
      Migration("1 baseline", sql: baseline.joined(separator: "\n")),
      Migration("2 reactions counted as they come", sql: ReactionsSchema.sql),
      Migration("3 contents", sql: ContentsSchema.sql),
      Migration("4 positions", sql: PositionsSchema.sql),
      Migration("5 pending changes", sql: PendingChangesSchema.sql),
      Migration("6 protocol state", sql: ProtocolStateSchema.sql),
      Migration("7 search", sql: SearchSchema.sql),
      Migration("8 conversations marked as unread", sql: ReadStateSchema.keptUnread),
      Migration("9 imports", sql: ImportSchema.sql),
      Migration("10 threads", sql: ThreadSchema.sql),
      Migration("11 senders", sql: SendersSchema.sql),
    ],
    applicationID: applicationID)

  /// The first step, by subject. Tables may refer to others that follow.
  private static let baseline = [
    conversations, ReadStateSchema.sql, messages, SearchSchema.baseline, ArchivesSchema.sql,
    RoomsSchema.sql, contacts,
    people, files, directories, feeds, events, session, SettingsSchema.sql,
  ]
}

import FoundationEssentials
import NatterCore
import SQLite
import XML
import XMPP

/// The database of one account: one file, open in one instance at a time, and the stores on it.
package struct AccountDatabase: Sendable {
  package let messages: MessageWriter
  package let timeline: TimelineStore
  package let outbox: OutboxStore
  package let archiveRanges: ArchiveRangeStore
  package let conversations: ConversationStore
  package let roster: RosterStore
  package let bookmarks: BookmarkStore
  package let settings: SettingsStore
  package let commands: AccountEventStore
  package let resumption: ResumptionStore
  package let readState: ReadStateStore
  package let transfers: TransferStore
  package let publicRooms: RoomDirectoryStore
  package let serverParts: ServerComponentStore
  package let feeds: FeedStore
  package let events: EventStore
  package let cards: CardStore
  package let pendingChanges: PendingChangeStore
  package let presence: PresenceStore
  let database: Database

  package var search: SearchStore { SearchStore(database) }
  package var archiveProgress: ArchiveProgressStore { ArchiveProgressStore(database) }

  /// The spool of messages from other instances; `nil` for a database without a file.
  package var spool: MessageSpool? {
    guard case .file(let path) = database.location else { return nil }
    return MessageSpool(besideDatabase: path)
  }

  init(_ database: Database) {
    self.database = database
    messages = MessageWriter(database)
    timeline = TimelineStore(database)
    outbox = OutboxStore(database)
    archiveRanges = ArchiveRangeStore(database)
    conversations = ConversationStore(database)
    roster = RosterStore(database)
    bookmarks = BookmarkStore(database)
    settings = SettingsStore(database)
    commands = AccountEventStore(database)
    resumption = ResumptionStore(database)
    readState = ReadStateStore(database)
    transfers = TransferStore(database)
    publicRooms = RoomDirectoryStore(database)
    serverParts = ServerComponentStore(database)
    feeds = FeedStore(database)
    events = EventStore(database)
    cards = CardStore(database)
    pendingChanges = PendingChangeStore(database)
    presence = PresenceStore(database)
  }

  /// Opens the file, or creates it; migrates it to the newest schema, keeping a copy of the earlier
  /// state (`NAME.before-VERSION.backup`).
  ///
  /// - Parameter path: of the database; missing directories are created with mode 0700. The lock is
  ///   `path` and `.lock`.
  /// - Throws: `StorageError`; the file is then unchanged.
  package static func open(at path: String) async throws -> AccountDatabase {
    do {
      try PrivatePath.makeDirectory(URL(filePath: path).deletingLastPathComponent().path)
      let lock = try Self.lock(of: path)
      let database = try await Database.open(
        .file(path), migrator: Schema.migrator, lock: lock)
      return AccountDatabase(database)
    } catch {
      throw StorageError(error, path: path)
    }
  }

  /// Returns a database in memory, for tests and experiments.
  package static func inMemory() async throws -> AccountDatabase {
    AccountDatabase(try await Database.open(.memory, migrator: Schema.migrator))
  }

  /// Writes the log into the file and closes it. Calls to the stores then throw.
  package func close() async {
    await database.close()
  }

  /// A stream with one element when a store finds damage in a file that was opened as intact.
  package var damage: AsyncStream<Void> { database.damage }

  /// Copies everything into a file at `path`, while the program goes on.
  package func backUp(to path: String) async throws {
    try await database.storing { try await $0.backUp(to: path) }
  }

  /// Returns the faults that a full examination finds; empty when there are none.
  package func faults() async throws -> [String] {
    try await database.storing { try await $0.faults() }
  }

  /// Renames a file that cannot be opened, with its log, so that a new one can be created.
  ///
  /// - Returns: the new path: `path.set-aside-N`, N being the first number that is free.
  /// - Throws: `StorageError.locked` while an instance uses it.
  package static func setAside(_ path: String) throws -> String {
    do {
      let lock = try lock(of: path)
      defer { withExtendedLifetime(lock) {} }
      var number = 1
      while FileManager.default.fileExists(atPath: "\(path).set-aside-\(number)") { number += 1 }
      let target = "\(path).set-aside-\(number)"
      try FileManager.default.moveItem(atPath: path, toPath: target)
      // Without its log or journal it would lack what was written last.
      for suffix in DatabaseFiles.endings
      where FileManager.default.fileExists(atPath: path + suffix) {
        try FileManager.default.moveItem(atPath: path + suffix, toPath: target + suffix)
      }
      return target
    } catch {
      throw StorageError(error, path: path)
    }
  }

  /// - Throws: `StorageError.locked` while an instance uses the database at `path`; other errors do
  ///   not mean that it is used.
  package static func checkUnused(_ path: String) throws(StorageError) {
    // Without a lock file the database was never open.
    do { try DatabaseLock.check(lockPath(of: path)) } catch {
      if case .held(let holder) = error { throw .locked(by: holder) }
    }
  }

  /// Checks if the database at `path` can be opened and is intact, and changes nothing. Takes as
  /// long as reading the file.
  ///
  /// - Returns: `true` if there is a database.
  /// - Throws: `StorageError`; `.locked` while an instance uses it: then it is not examined.
  package static func examine(_ path: String) throws(StorageError) -> Bool {
    try checkUnused(path)
    do { return try Database.examine(path, migrator: Schema.migrator) } catch {
      // An instance that was started in the meantime changes the file while it is read.
      try checkUnused(path)
      throw StorageError(error, path: path)
    }
  }

  /// Returns the lock of the database at `path`: beside it, so that each program that finds the
  /// database finds the lock, in any environment.
  static func lock(of path: String) throws(DatabaseLock.Failure) -> DatabaseLock {
    try DatabaseLock(path: lockPath(of: path))
  }

  private static func lockPath(of path: String) -> String { path + ".lock" }

  /// Announces to the instance that has the database at `path` open that this one is about to take
  /// it over.
  /// - Throws: `StorageError`.
  package static func claim(_ path: String) throws {
    do { try DatabaseLock.claim(lockPath(of: path)) } catch {
      throw StorageError(error, path: path)
    }
  }

  /// Returns the process id of the running instance that has announced a takeover.
  package static func claimant(of path: String) -> Int32? {
    DatabaseLock.claimant(of: lockPath(of: path))
  }

  /// Returns the name of an account's file: its bare JID, made safe for a file system.
  package static func fileName(of account: JID) -> String {
    let name = account.bare.description
    var safe = ""
    for byte in name.utf8 {
      let character = Unicode.Scalar(byte)
      switch character {
      case "a"..."z", "A"..."Z", "0"..."9", "@", "-", "_": safe.unicodeScalars.append(character)
      case "." where !safe.isEmpty: safe.unicodeScalars.append(character)
      default: safe += "%" + String(byte, radix: 16)
      }
    }
    guard safe.utf8.count > 200 else { return safe + ".db" }
    // Longer than a file system accepts (a bare JID has up to 2047 bytes): a hash replaces the end.
    var hash = StableHash()
    hash.add(name.utf8)
    return safe.prefix(180) + "-" + hash.text + ".db"
  }
}

extension Database {
  /// Runs `body` and converts its errors into a `StorageError`, except for a cancellation.
  nonisolated func storing<Value: Sendable>(
    _ body: (Database) async throws -> Value
  ) async throws -> Value {
    do {
      return try await body(self)
    } catch let error as CancellationError {
      throw error
    } catch {
      let path: String =
        switch location {
        case .file(let path): path
        case .memory: ":memory:"
        }
      throw StorageError(error, path: path)
    }
  }
}

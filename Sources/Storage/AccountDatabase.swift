import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The database of one account: one file, one Natter at a time, and the stores on it.
package struct AccountDatabase: Sendable {
  package let messages: MessageStore
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
  let database: Database

  /// Where other programs leave what this one is to send; `nil` for a database without a file.
  package var spool: MessageSpool? {
    guard case .file(let path) = database.location else { return nil }
    return MessageSpool(besideDatabase: path)
  }

  private init(_ database: Database) {
    self.database = database
    messages = MessageStore(database)
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
  }

  /// Opens the file, or makes it; brings it to the newest schema, keeping a copy from before
  /// (`NAME.before-VERSION.backup`).
  ///
  /// - Parameter path: of the database; directories that are missing are made, 0700. Its lock is `path` and `.lock`.
  /// - Throws: `StorageError`; the file is then as it was.
  package static func open(at path: String) async throws -> AccountDatabase {
    do {
      try PrivateFile.makeDirectory(URL(filePath: path).deletingLastPathComponent().path)
      let lock = try Self.lock(of: path)
      let database = try await Database.open(
        .file(path), migrator: Schema.migrator, lock: lock)
      return AccountDatabase(database)
    } catch {
      throw StorageError(error, path: path)
    }
  }

  /// A database that is forgotten when it goes: for tests and trials.
  package static func inMemory() async throws -> AccountDatabase {
    AccountDatabase(try await Database.open(.memory, migrator: Schema.migrator))
  }

  /// Writes the log into the file and closes it. Calls to the stores then throw.
  package func close() async {
    await database.close()
  }

  /// Has one element when a store finds the file damaged that was opened as a good one.
  package var damage: AsyncStream<Void> { database.damage }

  /// Copies everything into a file at `path`, while the program goes on.
  package func backUp(to path: String) async throws {
    try await database.storing { try await $0.backUp(to: path) }
  }

  /// The faults that a full examination finds; empty when there are none.
  package func faults() async throws -> [String] {
    try await database.storing { try await $0.faults() }
  }

  /// The way out when a file cannot be opened as it is: puts it and its log under another name, so that a new one can be made.
  ///
  /// - Returns: the path that it has now: `path.set-aside-N`, N being the first number that is free.
  /// - Throws: `StorageError.locked` while a Natter uses it.
  package static func setAside(_ path: String) throws -> String {
    do {
      let lock = try lock(of: path)
      defer { withExtendedLifetime(lock) {} }
      var number = 1
      while FileManager.default.fileExists(atPath: "\(path).set-aside-\(number)") { number += 1 }
      let target = "\(path).set-aside-\(number)"
      try FileManager.default.moveItem(atPath: path, toPath: target)
      for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
        try FileManager.default.moveItem(atPath: path + suffix, toPath: target + suffix)
      }
      return target
    } catch {
      throw StorageError(error, path: path)
    }
  }

  /// - Throws: `StorageError.locked` while a Natter uses the database at `path`; whatever else may be in the way is no use of it.
  package static func checkUnused(_ path: String) throws(StorageError) {
    // Where there is no lock yet, nobody had it.
    do { try DatabaseLock.check(lockPath(of: path)) } catch {
      if case .held(let holder) = error { throw .locked(by: holder) }
    }
  }

  /// Looks whether the database at `path` can be opened and is whole, and changes nothing. Takes as long as reading the file.
  ///
  /// - Returns: whether there is one.
  /// - Throws: `StorageError`; `.locked` while a Natter uses it: then it is not looked at.
  package static func examine(_ path: String) throws(StorageError) -> Bool {
    try checkUnused(path)
    do { return try Database.examine(path, migrator: Schema.migrator) } catch {
      // One that was begun meanwhile changes it while it is read.
      try checkUnused(path)
      throw StorageError(error, path: path)
    }
  }

  /// The lock of the database at `path`: beside it, so that whoever finds the one finds the other, in whatever environment.
  private static func lock(of path: String) throws(DatabaseLock.Failure) -> DatabaseLock {
    try DatabaseLock(path: lockPath(of: path))
  }

  private static func lockPath(of path: String) -> String { path + ".lock" }

  /// Leaves word for the program that has the database at `path` open that this one is about to take it over.
  /// - Throws: `StorageError`.
  package static func claim(_ path: String) throws {
    do { try DatabaseLock.claim(lockPath(of: path)) } catch {
      throw StorageError(error, path: path)
    }
  }

  /// The process id of the living program that has left such word.
  package static func claimant(of path: String) -> Int32? {
    DatabaseLock.claimant(of: lockPath(of: path))
  }

  /// The name of an account's file: its bare address, made safe for a file system.
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
    // Longer than a file system takes (an address has up to 2047 bytes): a hash stands for the whole.
    var hash = StableHash()
    hash.add(name.utf8)
    return safe.prefix(180) + "-" + hash.text + ".db"
  }
}

extension Database {
  /// Runs `body` and turns what it throws into a `StorageError`.
  nonisolated func storing<Value: Sendable>(
    _ body: (Database) async throws -> Value
  ) async throws -> Value {
    do {
      return try await body(self)
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

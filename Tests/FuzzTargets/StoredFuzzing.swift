import Configuration
import FoundationEssentials
import NatterCore
import Storage
import TOML
import XMPP

/// Files that the program keeps, as they may be found. The first byte chooses which: `0` a database
/// with rows as the lines say (`StoredRows`), `1` a database some bytes of which are others, `2` a
/// file of the spool, `3` remembered passwords and tokens, `4` the list of accounts, `5` the
/// settings, `6` this client's id.
enum StoredFuzzing {
  @Sendable static func run(_ bytes: [UInt8]) async throws {
    var input = FuzzInput(bytes)
    let folder = try FuzzFolder.shared.get()
    switch input.choice(of: 7) {
    case 0: try await rows(input.lines, in: folder)
    case 1: try await changedBytes(input.rest, in: folder)
    case 2: try spool(Array(input.rest), in: folder)
    case 3:
      try folder.write(Array(input.rest), to: "credentials")
      let file = CredentialFile(path: folder.path("credentials")) { _ in }
      _ = try? await file.credential(for: ConnectionFuzzing.account)
    case 4:
      try folder.write(Array(input.rest), to: "accounts.toml")
      let file = AccountFile(path: folder.path("accounts.toml"))
      _ = try? await file.accounts()
      _ = try? await file.defaultAccount()
    case 5:
      try folder.write(Array(input.rest), to: "config.toml")
      let (_, problems) = ConfigurationFile().read(at: folder.path("config.toml"))
      let count = input.lines.count
      for problem in problems {
        guard let line = problem.line else { continue }
        try require((1...count).contains(line), "a mistake in line \(line) of \(count)")
      }
    default:
      try folder.write(Array(input.rest), to: "client-id")
      _ = try? ClientIDFile(path: folder.path("client-id")).seed { "fresh" }
    }
  }

  // MARK: Databases

  private static let name = "case.db"

  private static func position(_ bytes: [UInt8], in folder: FuzzFolder) throws {
    folder.remove(name, name + "-wal", name + "-shm", name + "-journal", name + ".lock")
    try folder.write(bytes, to: name)
  }

  /// Whatever the columns contain, everything can be read, or is reported as unreadable.
  private static func rows(_ lines: [ArraySlice<UInt8>], in folder: FuzzFolder) async throws {
    try position(try await StoredTemplate.shared.bytes(in: folder), in: folder)
    try StoredRows.insert(lines, into: folder.path(name))
    await readAll(folder.path(name))
  }

  /// Three bytes choose the position, the fourth the value there.
  private static func changedBytes(_ script: ArraySlice<UInt8>, in folder: FuzzFolder) async throws
  {
    var bytes = try await StoredTemplate.shared.bytes(in: folder)
    var rest = script
    while rest.count >= 4 {
      let position = rest.prefix(3).reduce(0) { $0 << 8 | Int($1) } % bytes.count
      bytes[position] = rest[rest.startIndex + 3]
      rest = rest.dropFirst(4)
    }
    if let byte = rest.first { bytes.removeLast(Int(byte) * 64 % bytes.count) }
    try position(bytes, in: folder)
    let path = folder.path(name)
    do { _ = try AccountDatabase.examine(path) } catch {
      try require(
        folder.read(name) == bytes, "a database that is damaged was changed by looking at it")
    }
    await readAll(path)
  }

  private static func readAll(_ path: String) async {
    guard let database = try? await AccountDatabase.open(at: path) else { return }
    await StoredReading(database: database).all()
    await database.close()
  }

  // MARK: The spool

  private static func spool(_ bytes: [UInt8], in folder: FuzzFolder) throws {
    let spool = MessageSpool(besideDatabase: folder.path("spool.db"))
    try folder.makeFolder("spool.db.outbox")
    for ending in ["json", "file", "answer", "stop"] {
      try folder.write(bytes, to: "spool.db.outbox/o1.\(ending)")
    }
    for entry in spool.entries() {
      try require(entry.originID == "o1", "a message of the spool is another one's")
      try spool.leave(entry)
      try require(
        spool.entries().map(\.body) == [entry.body], "a message is another one once it was left")
    }
    _ = (spool.files(), spool.answer(to: "o1"), spool.stopped(), spool.isAwaited("o1"))
  }
}

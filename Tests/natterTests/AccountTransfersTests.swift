import BridgeService
import Foundation
import JSONLines
import NatterCore
import SQLite
import TestSupport
import Testing
import XMPP

@testable import Storage
@testable import natter

/// Imports into an account that a process has open, for clients of the bridge.
@Suite struct AccountTransfersTests {
  private let account = JID(local: "me", domain: "example.org")
  private let friend = JID(local: "friend", domain: "example.org")
  private let folder: TemporaryFolder
  private let hub = EventHub()

  init() throws {
    folder = try TemporaryFolder("transfers")
    try folder.makeFolder("histo")
    try folder.write(
      "MR 20240301T10:00:00Z 000 words\nMS 20240301T10:01:00Z 000 answered\n",
      to: "histo/friend@example.org")
  }

  private func transfers(_ database: AccountDatabase) throws -> AccountTransfers {
    AccountTransfers(
      account: account, database: database, hub: hub,
      localizer: try SendCommandTests.context(["serve"], home: Home()).localizer)
  }

  private func code(
    _ transfers: AccountTransfers, _ request: BridgeImport
  ) async -> BridgeError.Code? {
    do { _ = try await transfers.runImport(request) } catch {
      return (error as? BridgeError)?.code
    }
    return nil
  }

  @Test func `a history is imported once, and undone`() async throws {
    let database = try await AccountDatabase.inMemory()
    let transfers = try transfers(database)
    let request = BridgeImport(path: folder.path("histo"))
    let first = try JSONValue(parsing: try await transfers.runImport(request).text.utf8)
    #expect(first["added"] == .integer(2) && first["format"] == .text("mcabber"))
    let second = try JSONValue(parsing: try await transfers.runImport(request).text.utf8)
    #expect(second["added"] == .integer(0) && second["known"] == .integer(2))
    #expect(second["batch"] == nil)
    let batch = try #require(first["batch"]?.int)
    #expect(try await transfers.undoImport(batch) == 2)
    #expect(try await transfers.undoImport(batch) == nil)
    await database.close()
  }

  @Test func `an import and its undoing are announced, a dry run and one without news are not`()
    async throws
  {
    let database = try await AccountDatabase.inMemory()
    let transfers = try transfers(database)
    _ = try await database.conversations.open(friend, kind: .direct)
    let imported = DomainEvent.historyImported([friend])
    var request = BridgeImport(path: folder.path("histo"))
    var events = hub.events()
    let report = try await transfers.runImport(request)
    #expect(await events.published(on: hub).contains(imported))
    let object = try JSONValue(parsing: report.text.utf8)
    let batch = try #require(object["batch"]?.int)
    events = hub.events()
    _ = try await transfers.runImport(request)
    request.isTrial = true
    _ = try await transfers.runImport(request)
    #expect(await !events.published(on: hub).contains(imported))
    // Cancelled, it may have removed a part.
    events = hub.events()
    let undoing = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await transfers.undoImport(batch)
    }
    await #expect(throws: CancellationError.self) { try await undoing.value }
    #expect(await events.published(on: hub).contains(imported))
    events = hub.events()
    _ = try await transfers.undoImport(batch)
    #expect(await events.published(on: hub).contains(imported))
    await database.close()
  }

  @Test func `the first of two errors is reported`() async throws {
    let database = try await AccountDatabase.inMemory()
    try await database.database.write { db in
      // The second table hides the one of the conversations: reading them fails, too.
      try db.runScript(
        """
        CREATE TRIGGER no_room BEFORE INSERT ON import_batch
          BEGIN SELECT RAISE (ABORT, 'no room'); END;
        CREATE TEMP TABLE conversation (x);
        """)
    }
    await #expect(throws: StorageError.self) {
      try await database.conversations.conversations()
    }
    let error = await #expect(throws: StorageError.self) {
      try await transfers(database).runImport(BridgeImport(path: folder.path("histo")))
    }
    guard case .underlying(let first)? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(first.text == "no room")
    await database.close()
  }

  @Test func `local times are those of the zone that the client names`() async throws {
    try folder.write(
      "|2024-07-15T12:00:00|1|from|N---|words\n", to: "history/friend_at_example.org.history")
    let database = try await AccountDatabase.inMemory()
    var request = BridgeImport(path: folder.path("history/friend_at_example.org.history"))
    (request.format, request.zone) = ("psi", "America/New_York")
    let report = try await transfers(database).runImport(request)
    #expect(try JSONValue(parsing: report.text.utf8)["added"] == .integer(1))
    let messages = try await database.timeline.latest(1, in: friend)
    // 16:00 UTC.
    #expect(messages.map(\.sentAt) == [Date(timeIntervalSince1970: 1_721_059_200)])
    await database.close()
  }

  @Test func `a dry run stores nothing`() async throws {
    let database = try await AccountDatabase.inMemory()
    var request = BridgeImport(path: folder.path("histo"))
    request.isTrial = true
    let report = try await transfers(database).runImport(request)
    let object = try JSONValue(parsing: report.text.utf8)
    #expect(object["added"] == .integer(2) && object["trial"] == .boolean(true))
    #expect(try await database.imports.imports().isEmpty)
    await database.close()
  }

  @Test func `what is absent or unknown is an error of its own`() async throws {
    let database = try await AccountDatabase.inMemory()
    let transfers = try transfers(database)
    #expect(await code(transfers, BridgeImport(path: folder.path("none"))) == .notFound)
    try folder.write("no history\n", to: "text")
    #expect(await code(transfers, BridgeImport(path: folder.path("text"))) == .parameters)
    var request = BridgeImport(path: folder.path("histo"))
    request.format = "no-format"
    #expect(await code(transfers, request) == .parameters)
    request.format = nil
    request.zone = "Nowhere"
    #expect(await code(transfers, request) == .parameters)
    await database.close()
  }
}

import ExportService
import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import natter

/// `/export` and `/import` on the database and the disk.
@Suite struct AccountHistoryFilesTests {
  private let account = JID(local: "me", domain: "example.org")
  private let friend = JID(local: "friend", domain: "example.org")
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder("history-files") }

  private func files(_ database: AccountDatabase) throws -> AccountHistoryFiles {
    let localizer = try SendCommandTests.context(["serve"], home: Home()).localizer
    return AccountHistoryFiles(
      transfers: AccountTransfers(
        account: account, database: database, hub: EventHub(), localizer: localizer),
      format: ItemFormat(localizer: localizer, account: account), folder: folder.path("saved"))
  }

  private func filled() async throws -> AccountDatabase {
    let database = try await AccountDatabase.inMemory()
    let messages = (1...3).map { number in
      IncomingMessage(
        conversation: friend, sender: friend, body: "m\(number).",
        sentAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(number)),
        originID: "i\(number)", stanzaID: "i\(number)", isDelayed: false)
    }
    _ = try await database.messages.insert(messages) { _ in false }
    return database
  }

  private func failure(_ work: () async throws -> Void) async -> String? {
    do { try await work() } catch { return (error as? NatterError)?.key }
    return nil
  }

  @Test func `what is exported can be imported, and the import undone`() async throws {
    let database = try await filled()
    let path = folder.path("chat.jsonl")
    let exported = try await files(database).export(friend, as: nil, to: path) { _ in }
    #expect(exported == ExportedHistory(path: path, format: .jsonl, messages: 3))
    let empty = try await AccountDatabase.inMemory()
    let other = try files(empty)
    let imported = try await other.importHistory(at: path) { _ in }
    #expect(imported.added == 3 && imported.format == "natter" && imported.failure == nil)
    #expect(try await other.importHistory(at: path) { _ in }.added == 0)
    #expect(try await other.undoLastImport() == UndoneImport(path: path, messages: 3))
    #expect(try await other.undoLastImport() == nil)
    await database.close()
    await empty.close()
  }

  @Test func `without a path the file is named after the conversation, and none is replaced`()
    async throws
  {
    let database = try await filled()
    let files = try files(database)
    let first = try await files.export(friend, as: .text, to: nil) { _ in }
    let second = try await files.export(friend, as: .text, to: nil) { _ in }
    #expect(first.path == folder.path("saved/friend@example.org.txt"))
    #expect(second.path == folder.path("saved/friend@example.org-2.txt"))
    #expect(try String(contentsOfFile: first.path, encoding: .utf8).contains("m3."))
    await database.close()
  }

  @Test func `a name whose file another export writes is passed over`() async throws {
    try folder.makeFolder("saved")
    let other = try ExportFile(folder.path("saved/friend@example.org.txt"), mayReplace: false)
    let database = try await filled()
    let exported = try await files(database).export(friend, as: .text, to: nil) { _ in }
    #expect(exported.path == folder.path("saved/friend@example.org-2.txt"))
    other.abandon()
    await database.close()
  }

  @Test func `a nick does not decide where a file is, nor makes its name too long`() throws {
    let room = "room@example.org"
    for (nick, name) in [
      ("a/b", "room@example.org_a_b"), ("a/\u{301}b", "room@example.org_a_\u{301}b"),
      ("../b", "room@example.org_.._b"), ("..\\b", "room@example.org_.._b"),
    ] {
      let occupant = try #require(JID(parsing: "\(room)/\(nick)"))
      #expect(AccountHistoryFiles.name(of: occupant).utf8.elementsEqual(name.utf8), "\(nick)")
    }
    let long = try #require(JID(parsing: room + "/" + String(repeating: "\u{6F22}", count: 100)))
    #expect(AccountHistoryFiles.name(of: long).utf8.count <= 200)
  }

  @Test func `what cannot be done says why, and leaves no file`() async throws {
    let database = try await filled()
    let files = try files(database)
    try folder.write("mine\n", to: "mine.txt")
    let (friend, folder) = (friend, folder)
    let cases: [(String, HistoryFileFormat?, String)] = [
      ("mine.txt", nil, "error.historyFile.exists"),
      ("chat.pdf", nil, "error.historyFile.format"),
      ("all.tar", nil, "error.historyFile.archive"),
      ("none/chat.txt", .text, "error.historyFile.unwritable"),
    ]
    for (name, format, key) in cases {
      #expect(
        await failure {
          _ = try await files.export(friend, as: format, to: folder.path(name)) { _ in }
        } == key)
    }
    #expect(
      await failure {
        _ = try await files.export(
          JID(local: "nobody", domain: "example.org"), as: .text, to: folder.path("new.txt")
        ) { _ in }
      } == "error.historyFile.nothing")
    #expect(try String(contentsOfFile: folder.path("mine.txt"), encoding: .utf8) == "mine\n")
    #expect(!FileManager.default.fileExists(atPath: folder.path("new.txt")))
    #expect(!FileManager.default.fileExists(atPath: folder.path("new.txt.natter-part")))
    #expect(
      await failure { _ = try await files.importHistory(at: folder.path("absent")) { _ in } }
        == "cli.import-unreadable")
    #expect(
      await failure { _ = try await files.importHistory(at: folder.path("mine.txt")) { _ in } }
        == "error.historyFile.unknown")
    await database.close()
  }
}

import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import natter

/// The histories that the page Import lists.
@Suite struct AccountHistoryFinderTests {
  private let account = JID(local: "me", domain: "example.org")
  private let home: TemporaryFolder

  init() throws { home = try TemporaryFolder("history-finder") }

  private func transfers(_ database: AccountDatabase) throws -> AccountTransfers {
    AccountTransfers(
      account: account, database: database, hub: EventHub(),
      localizer: try SendCommandTests.context(["serve"], home: Home()).localizer)
  }

  private func finder(_ database: AccountDatabase) throws -> AccountHistoryFinder {
    AccountHistoryFinder(
      transfers: try transfers(database), environment: ["HOME": home.root.path])
  }

  @Test func `a history in its usual folder is found, counted, and not stored`() async throws {
    try home.write(
      "MR 20231114T22:13:21Z 000 one\nMS 20231114T22:13:22Z 000 two\n",
      to: ".mcabber/histo/friend@example.org")
    let database = try await AccountDatabase.inMemory()
    let finder = try finder(database)
    let history = FoundHistory(path: home.path(".mcabber/histo"), format: "mcabber")
    #expect(await finder.find() == [history])
    #expect(finder.searched.contains(history.path))
    #expect(try await finder.content(of: history) == HistoryContent(messages: 2))
    #expect(try await finder.newestImport() == nil)
    #expect(try await database.conversations.conversations().isEmpty)
    await database.close()
  }

  @Test func `what cannot be read has no messages, and a reason`() async throws {
    let database = try await AccountDatabase.inMemory()
    let finder = try finder(database)
    #expect(await finder.find() == [])
    let path = home.path("gone")
    let content = try await finder.content(of: FoundHistory(path: path, format: "gajim"))
    #expect(content.messages == 0 && content.isUseless)
    #expect(content.failure?.arguments["path"] == path)
    await database.close()
  }

  @Test func `the newest import is the one that is undone`() async throws {
    let path = home.path(".mcabber/histo")
    try home.write(
      "MR 20231114T22:13:21Z 000 one\n", to: ".mcabber/histo/friend@example.org")
    let database = try await AccountDatabase.inMemory()
    let finder = try finder(database)
    let localizer = try SendCommandTests.context(["serve"], home: Home()).localizer
    let files = AccountHistoryFiles(
      transfers: try transfers(database),
      format: ItemFormat(localizer: localizer, account: account), folder: home.path("saved"))
    _ = try await files.importHistory(at: path) { _ in }
    let newest = try #require(try await finder.newestImport())
    #expect(newest.path == path && newest.rows == 1)
    _ = try await files.undoLastImport()
    #expect(try await finder.newestImport() == nil)
    await database.close()
  }
}

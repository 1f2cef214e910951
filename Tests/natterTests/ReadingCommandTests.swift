import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import natter

/// The accounts of commands that read, and the exit codes of what cannot be read.
@Suite struct ReadingCommandTests {
  private let home: Home
  init() throws { home = try Home() }

  private func accounts(_ arguments: String...) throws -> StoredAccounts {
    StoredAccounts(context: try SendCommandTests.context(["unread"] + arguments, home: home))
  }

  private func makeDatabase(of address: String) async throws {
    let jid = try #require(JID(typed: address))
    let name = AccountDatabase.fileName(of: jid)
    await (try await AccountDatabase.open(at: home.data.appending(path: "accounts/\(name)").path))
      .close()
  }

  @Test func `without an account there is nothing to read`() async throws {
    let failure = try await #require(throws: CommandFailure.self) {
      try await accounts().all()
    }
    #expect(failure.code == .noPermission && failure.text.contains("natter login JID"))
    #expect(home.folder.files == [])
  }

  @Test func `an account that is not here is named`() async throws {
    let failure = try await #require(throws: CommandFailure.self) {
      try await accounts("--account", "typo@natter.test").one()
    }
    #expect(failure.code == .noPermission && failure.text.contains("typo@natter.test"))
  }

  @Test func `an account of the settings needs no data yet`() async throws {
    try home.folder.write(
      "[account]\naddress = \"me@natter.test\"\n", to: "config/natter/config.toml")
    let stored = try await accounts().one()
    #expect(stored.jid == JID(typed: "me@natter.test") && stored.database == nil)
    try await makeDatabase(of: "me@natter.test")
    #expect(try await accounts().one().database != nil)
  }

  @Test func `an account that only has data is read when it is named`() async throws {
    try await makeDatabase(of: "me@localhost")
    let stored = try await accounts("--account", "me@localhost").all()
    #expect(stored.count == 1 && stored[0].database != nil)
    // So does an import, which opens it otherwise.
    let address = try await accounts("--account", "me@localhost").address()
    #expect(address == JID(typed: "me@localhost"))
  }

  @Test(arguments: [
    (StorageError.damaged(path: "x"), ExitCode.badData), (.newerSchema(path: "x"), .badData),
    (.olderSchema(path: "x"), .badData), (.foreign(path: "x"), .badData),
    (.notAFile(path: "x"), .badData), (.locked(by: nil), .temporary),
    (.notWritable(path: "x"), .badConfiguration), (.full(path: "x"), .internalError),
  ])
  func `what cannot be read has its exit code`(error: StorageError, code: ExitCode) {
    #expect(ExitCode(reading: error) == code)
  }
}

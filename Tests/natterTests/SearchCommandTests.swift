import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import natter

/// `natter search` over several accounts.
@Suite struct SearchCommandTests {
  private static let bob = JID(local: "bob", domain: "example.org")
  private static let start = Date(timeIntervalSince1970: 1_795_860_000)

  private func account(_ name: String, _ times: [Double]) async throws -> StoredAccount {
    let database = try await AccountDatabase.inMemory()
    _ = try await database.messages.insert(
      times.map {
        IncomingMessage(
          conversation: Self.bob, sender: Self.bob, direction: .incoming, body: "tea \(Int($0))",
          sentAt: Self.start.addingTimeInterval($0), originID: "o\($0)")
      }, countsUnread: { _ in false })
    return StoredAccount(jid: JID(local: name, domain: "example.org"), database: database)
  }

  /// Returns the numbers in the texts that were printed, and the exit code.
  private func found(
    _ options: [String], in accounts: [StoredAccount]
  ) async throws -> (numbers: [String], code: ExitCode, warnings: [String]) {
    let arguments = ["search", "tea"] + options
    let context = try SendCommandTests.context(arguments, home: try Home())
    guard case .read(let request) = try CommandLineOptions.parse(arguments).1 else {
      Issue.record("no command that reads")
      return ([], .failed, [])
    }
    var (text, warnings) = ("", [String]())
    let output = ReadingOutput(context.localizer) {
      text += $0
      return true
    }
    let code = try await SearchCommand(
      request: request, context: context, output: output, warn: { warnings.append($0) }
    ).run("tea", in: accounts)
    let numbers = text.split(separator: "\n").compactMap { $0.split(separator: " ").last }
    return (numbers.map(String.init), code, warnings)
  }

  @Test(arguments: [[], ["--in", "bob@example.org"]])
  func `matches of several accounts are in one order`(options: [String]) async throws {
    let accounts = [
      try await account("me", [1, 4, 5]),
      StoredAccount(jid: JID(local: "new", domain: "example.org"), database: nil),
      try await account("you", [2, 3, 6]),
    ]
    let all = try await found(options, in: accounts)
    #expect(all.numbers == ["6", "5", "4", "3", "2", "1"] && all.code == .done)
    #expect(all.warnings == [])
    let newest = try await found(options + ["--limit", "2"], in: accounts)
    #expect(newest.numbers == ["6", "5"])
  }

  @Test func `without a limit all matches are printed`() async throws {
    let times = (0..<1200).map(Double.init)
    let all = try await found(["--limit", "0"], in: [try await account("me", times)])
    #expect(all.numbers == (0..<1200).reversed().map(String.init))
    let none = try await found(["--limit", "0"], in: [try await account("me", [])])
    #expect(none.numbers == [] && none.code == .failed)
  }
}

import BridgeService
import Foundation
import JSONLines
import NatterCore
import Storage
import TestSupport
import Testing
import Text
import XMPP

@testable import natter

/// Exports of an account that a process has open, for clients of the bridge.
@Suite struct AccountExportsTests {
  private static let account = JID(local: "me", domain: "example.org")
  private static let bob = JID(local: "bob", domain: "example.org")
  private static let eve = JID(local: "eve", domain: "example.org")
  /// 28 November 2026, 10:00:00 UTC.
  private static let start = Date(timeIntervalSince1970: 1_795_860_000)

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder("exports") }

  /// Exports two messages of bob and one of eve.
  /// - Parameter isCancelled: whether its task is cancelled before it begins.
  private func run(
    _ request: BridgeExport, isCancelled: Bool = false
  ) async throws -> JSONValue {
    let database = try await AccountDatabase.inMemory()
    _ = try await database.messages.insert(
      [(Self.bob, "one", 0.0), (Self.bob, "two", 60), (Self.eve, "three", 120)].map {
        IncomingMessage(
          conversation: $0.0, sender: $0.0, direction: .incoming, body: $0.1,
          sentAt: Self.start.addingTimeInterval($0.2), originID: $0.1)
      }, countsUnread: { _ in false })
    let exports = AccountExports(
      account: Self.account, database: database,
      localizer: Localizer(tag: "en", texts: try englishTexts()))
    let task = Task {
      if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
      return try await exports.runExport(request)
    }
    let result = await task.result
    await database.close()
    return try JSONValue(parsing: result.get().text.utf8)
  }

  private func request(_ name: String) -> BridgeExport { BridgeExport(path: folder.path(name)) }

  private func failure(of request: BridgeExport) async throws -> JSONValue? {
    do { _ = try await run(request) } catch let error as BridgeError {
      return error.object { $0.key }
    }
    return nil
  }

  /// The names of the files that are there.
  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.root.path).sorted() }
  }

  @Test func `the ending of the path decides about the format`() async throws {
    let lines = try await run(request("all.jsonl"))
    #expect(
      lines
        == .object([
          "path": .text(folder.path("all.jsonl")), "format": .text("jsonl"),
          "account": .text("me@example.org"), "messages": .integer(3),
        ]))
    #expect(folder.text("all.jsonl")?.split(separator: "\n").count == 4)
    #expect(try await run(request("all.html"))["format"] == .text("html"))
    #expect(folder.text("all.html")?.contains("<html lang=\"en\">") == true)
    #expect(try await run(request("all"))["format"] == .text("jsonl"))
    #expect(try names == ["all", "all.html", "all.jsonl"])
  }

  @Test func `only what is asked for is written`() async throws {
    var request = request("bob.txt")
    request.conversations = [Self.bob]
    request.since = Self.start.addingTimeInterval(60)
    request.until = Self.start.addingTimeInterval(120)
    #expect(try await run(request)["messages"] == .integer(1))
    let text = try #require(folder.text("bob.txt"))
    #expect(text.contains("two") && !text.contains("one") && !text.contains("three"))
  }

  @Test func `a file is replaced only where that is asked for`() async throws {
    try folder.write("precious", to: "old.jsonl")
    var request = request("old.jsonl")
    let error = try #require(try await failure(of: request))
    #expect(error["code"] == .integer(-32602) && error["data"]?["path"] == .text("path"))
    #expect(error["data"]?["text"]?.string?.contains("old.jsonl exists already.") == true)
    #expect(folder.text("old.jsonl") == "precious")
    request.mayReplace = true
    #expect(try await run(request)["messages"] == .integer(3))
    #expect(folder.text("old.jsonl")?.contains("precious") == false)
    #expect(try names == ["old.jsonl"])
  }

  @Test func `what cannot be written, or is not known, leaves no file`() async throws {
    try folder.makeFolder("folder")
    var unknown = request("unknown")
    unknown.conversations = [JID(local: "nobody", domain: "example.org")]
    var files = request("files.jsonl")
    files.includesFiles = true
    var part = request("part.tar")
    part.since = Self.start
    for (request, code) in [
      (request("folder"), -32602), (request("none/file"), -32010), (unknown, -32004),
      (files, -32602), (part, -32602),
    ] {
      #expect(try await failure(of: request)?["code"] == .integer(code), "\(request.path)")
    }
    #expect(try names == ["folder"])
  }

  @Test func `an export that is cancelled leaves no file`() async throws {
    await #expect(throws: CancellationError.self) {
      try await run(request("all.jsonl"), isCancelled: true)
    }
    #expect(try names == [])
  }
}

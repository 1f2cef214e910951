import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import BridgeService

/// Imports and exports that clients request.
@Suite struct TransferMethodTests {
  private let fixture = BridgeFixture()
  private let transfers = TestTransfers()
  private let exports = TestExports()

  private func account() -> BridgeAccount {
    var services = fixture.services
    services.transfers = transfers
    services.exports = exports
    return fixture.account(services: services)
  }

  @Test func `an import has what the client asked for`() async throws {
    try await fixture.serve([account()]) { client in
      try await client.greet()
      let result = try await client.call(
        "import.run",
        #"{"path":"/tmp/log","format":"psi","owner":"me@x/y","names":["al"],"zone":"+01:00","#
          + #""since":"2026-01-02T00:00:00Z","only":"bob@x","trial":true,"password":"p"}"#)
      #expect(result["added"] == .integer(3))
    }
    let request = try #require(await transfers.requests.first)
    #expect(request.path == "/tmp/log" && request.format == "psi" && request.isTrial)
    #expect(request.owner?.description == "me@x" && request.only?.description == "bob@x")
    #expect(request.names == ["al"] && request.zone == "+01:00" && request.password == "p")
    #expect(request.since == Date(timeIntervalSince1970: 1_767_312_000))
  }

  @Test func `bad parameters are refused before anything is read`() async throws {
    try await fixture.serve([account()]) { client in
      try await client.greet()
      for (parameters, path) in [
        ("{}", "path"), (#"{"path":"log"}"#, "path"),
        (#"{"path":"/log","since":"yesterday"}"#, "since"),
        (#"{"path":"/log","owner":"@"}"#, "owner"),
      ] {
        let error = try await client.failure(of: "import.run", parameters)
        #expect(error["code"] == .integer(-32602))
        #expect(error["data"]?["path"] == .text(path))
      }
      #expect(try await client.code(of: "import.undo", #"{"batch":0}"#) == -32602)
    }
    #expect(await transfers.requests.isEmpty)
  }

  @Test func `an import is undone once`() async throws {
    try await fixture.serve([account()]) { client in
      try await client.greet()
      let undone = try await client.call("import.undo", #"{"batch":1}"#)
      #expect(undone["removed"] == .integer(3) && undone["batch"] == .integer(1))
      #expect(try await client.code(of: "import.undo", #"{"batch":2}"#) == -32004)
    }
  }

  @Test func `only the user's own programs import, and only where a process can`() async throws {
    try await fixture.serve([account()]) { client in
      try await client.greet(as: "bot")
      #expect(try await client.code(of: "import.run", #"{"path":"/log"}"#) == -32001)
      #expect(try await client.code(of: "import.undo", #"{"batch":1}"#) == -32001)
    }
    try await fixture.serve { client in
      try await client.greet()
      #expect(try await client.code(of: "import.run", #"{"path":"/log"}"#) == -32011)
    }
  }
}

/// The export of a client.
extension TransferMethodTests {
  @Test func `an export has what the client asked for`() async throws {
    try await fixture.serve([account()]) { client in
      try await client.greet()
      let result = try await client.call(
        "export.run",
        #"{"path":"/tmp/tea.html","format":"html","conversations":["bob@x","tea@y","bob@x"],"#
          + #""since":"2026-01-02T00:00:00Z","until":"2026-01-03T00:00:00Z","replace":true}"#)
      #expect(result["messages"] == .integer(3))
      try await client.call("export.run", #"{"path":"/tmp/all.tar","files":true}"#)
    }
    let requests = await exports.requests
    let first = try #require(requests.first)
    #expect(first.path == "/tmp/tea.html" && first.format == "html" && first.mayReplace)
    #expect(first.conversations.map(\.description) == ["bob@x", "tea@y"] && !first.includesFiles)
    #expect(first.since == Date(timeIntervalSince1970: 1_767_312_000))
    #expect(first.until == Date(timeIntervalSince1970: 1_767_398_400))
    let second = try #require(requests.last)
    #expect(second.format == nil && second.conversations.isEmpty && second.since == nil)
    #expect(second.includesFiles && !second.mayReplace)
  }

  @Test func `bad parameters of an export are refused before anything is written`() async throws {
    try await fixture.serve([account()]) { client in
      try await client.greet()
      for (parameters, path) in [
        ("{}", "path"), (#"{"path":"log"}"#, "path"), (#"{"path":"../log"}"#, "path"),
        (#"{"path":"/a\u0000b"}"#, "path"), (#"{"path":"/log","format":"xml"}"#, "format"),
        (#"{"path":"/log","conversations":["bob@x","@"]}"#, "conversations.1"),
        (#"{"path":"/log","until":"noon"}"#, "until"),
      ] {
        let error = try await client.failure(of: "export.run", parameters)
        #expect(error["code"] == .integer(-32602), "\(parameters)")
        #expect(error["data"]?["path"] == .text(path), "\(parameters)")
      }
    }
    #expect(await exports.requests.isEmpty)
  }

  @Test(arguments: [BridgePermission.control, .readMessages])
  func `who may not read all messages, or not control Natter, exports none`(
    missing: BridgePermission
  ) async throws {
    var options = fixture.options()
    options.rights = { _ in
      BridgeRights(held: { permission, _ in
        permission == missing
          ? permission == .readMessages
            ? .held(BridgeScope(addresses: [BridgeFixture.bob])) : .refused(.notDeclared)
          : .held(.all)
      })
    }
    try await fixture.serve([account()], options) { client in
      try await client.greet()
      let error = try await client.failure(of: "export.run", #"{"path":"/log"}"#)
      #expect(error["code"] == .integer(-32001))
      #expect(error["data"]?["permission"] == .text(missing.rawValue))
    }
    #expect(await exports.requests.isEmpty)
  }

  @Test func `an export ends with its client, or when that cancels it`() async throws {
    await exports.wait()
    try await fixture.serve([account()]) { client in
      try await client.greet()
      let id = client.ask("export.run", #"{"path":"/one"}"#)
      #expect(await exports.begun.waits { $0 == 1 })
      try await client.call("cancel", #"{"id":\#(id)}"#)
      #expect(try await client.answer(to: id)["error"]?["code"] == .integer(-32009))
      client.ask("export.run", #"{"path":"/two"}"#)
      #expect(await exports.begun.waits { $0 == 2 })
      #expect(exports.cancelled.value == 1)
    }
    // `serve` returns when the session has ended.
    #expect(exports.cancelled.value == 2)
  }
}

/// Records exports.
private actor TestExports: HistoryExporting {
  private(set) var requests: [BridgeExport] = []
  private var waits = false
  nonisolated let begun = Observed(0)
  nonisolated let cancelled = Observed(0)

  /// Has further exports go on until they are cancelled.
  func wait() { waits = true }

  func runExport(_ request: BridgeExport) async throws -> JSONLine {
    requests.append(request)
    if waits {
      begun.update { $0 += 1 }
      do { try await Pause.endless(.zero) } catch {
        cancelled.update { $0 += 1 }
        throw error
      }
    }
    return JSONLine { $0.add("messages", 3) }
  }
}

/// Records imports.
private actor TestTransfers: HistoryTransferring {
  private(set) var requests: [BridgeImport] = []

  func runImport(_ request: BridgeImport) -> JSONLine {
    requests.append(request)
    return JSONLine { $0.add("added", 3) }
  }
  func undoImport(_ batch: Int) -> Int? { batch == 1 ? 3 : nil }
}

import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import BridgeService

/// Imports that clients request.
@Suite struct TransferMethodTests {
  private let fixture = BridgeFixture()
  private let transfers = TestTransfers()

  private func account() -> BridgeAccount {
    var services = fixture.services
    services.transfers = transfers
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

/// Records imports.
private actor TestTransfers: HistoryTransferring {
  private(set) var requests: [BridgeImport] = []

  func runImport(_ request: BridgeImport) -> JSONLine {
    requests.append(request)
    return JSONLine { $0.add("added", 3) }
  }
  func undoImport(_ batch: Int) -> Int? { batch == 1 ? 3 : nil }
}

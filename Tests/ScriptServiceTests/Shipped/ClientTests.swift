import Foundation
import JSONLines
import TestSupport
import Testing

/// `natter.mjs` and `natter.py`, in a script that reports what it handles.
@Suite(.requires(.node, .python3)) struct ClientTests {
  enum Client: String, CaseIterable, Sendable {
    case javaScript = "natter.mjs"
    case python = "natter.py"

    var run: [String] {
      self == .javaScript ? ["node", "main.mjs"] : ["python3", "-B", "main.py"]
    }

    var script: String {
      switch self {
      case .javaScript:
        """
        import { connect } from "./natter.mjs";
        const natter = await connect();
        natter.command("fail", () => { throw new Error("a mistake"); });
        natter.command("refused", async () => {
          try { await natter.call("refuse"); } catch (error) {
            return { note: `${error.code} ${error.data.reason} ${error.message}` };
          }
        });
        console.log("for the log");
        await natter.on("message.new", ["rooms"], async (message) => {
          await natter.call("handled", { body: message.body });
        });
        """
      case .python:
        """
        import os
        import natter
        connection = natter.connect()
        @connection.command("fail")
        def fail(call):
            raise ValueError("a mistake")
        @connection.command("refused")
        def refused(call):
            try:
                connection.call("refuse")
            except natter.NatterError as error:
                return {"note": f"{error.code} {error.data['reason']} {error}"}
        print("for the log")
        @connection.on("message.new", ["rooms"])
        def handle(message, event):
            connection.call("handled", {"body": message["body"]})
        connection.run()
        """
      }
    }
  }

  private let folder: TemporaryFolder
  private let storage: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder("client")
    storage = try TemporaryFolder("storage")
  }

  private func start(
    _ client: Client, stored: [String: JSONValue] = [:],
    answering: @escaping FakeNatter.Answering = { _, _ in nil }
  ) throws -> FakeNatter {
    let source = Programs.checkout.appending(path: "Resources/scripts/\(client.rawValue)")
    try folder.write(try String(contentsOf: source, encoding: .utf8), to: client.rawValue)
    try folder.write(client.script, to: client.run[client.run.count - 1])
    return try FakeNatter(
      client.run, in: folder.root, storage: storage, stored: stored, answering: answering)
  }

  private func send(_ cursor: Int, from natter: FakeNatter, in subscription: String = "s1") {
    natter.send("message.new", cursor: cursor, in: subscription, ["body": .text("b\(cursor)")])
  }

  private func handled(_ state: FakeNatter.State) -> [String] {
    state.requests("handled").compactMap { $0["body"]?.string }
  }

  @Test(arguments: Client.allCases)
  func `a message counts as handled when its function has returned`(client: Client) async throws {
    let natter = try start(client)
    #expect(try await natter.request("events.subscribe")["after"] == nil)
    for cursor in [101, 102, 102, 103] { send(cursor, from: natter) }
    // The third message is under way: what it has stored is that of the second.
    let state = try await natter.waits(for: "the third message") {
      $0.requests("handled").count == 3
    }
    #expect(handled(state) == ["b101", "b102", "b103"])
    try await natter.waits(for: "the note of the third") {
      $0.stored.values.contains { $0.string?.contains("103") == true }
    }
    #expect(await natter.end() == .exited(0))
    #expect(natter.observed.value.log.contains("for the log"))

    let again = try start(client, stored: natter.observed.value.stored)
    #expect(
      try await again.request("events.subscribe")["after"]
        == .object(["me@example.org": .integer(103)]))
    #expect(await again.closeInput() == .exited(0))
  }

  @Test(arguments: Client.allCases)
  func `a script that is killed goes on with the message that it had not handled`(
    client: Client
  ) async throws {
    let natter = try start(client) { method, parameters in
      // It is killed in the function of the second message.
      method == "handled" && parameters["body"] == .text("b102")
        ? .nothing : nil
    }
    _ = try await natter.request("events.subscribe")
    for cursor in 101...103 { send(cursor, from: natter) }
    _ = try await natter.request("handled", number: 2)
    _ = await natter.kill()
    let again = try start(client, stored: natter.observed.value.stored)
    #expect(
      try await again.request("events.subscribe")["after"]
        == .object(["me@example.org": .integer(101)]))
    #expect(await again.closeInput() == .exited(0))
  }

  @Test(arguments: Client.allCases)
  func `after a gap the messages that were dropped come, each once`(client: Client) async throws {
    let natter = try start(client)
    _ = try await natter.request("events.subscribe")
    send(101, from: natter)
    natter.send("event.gap", ["after": .object(["me@example.org": .integer(101)])])
    // This one comes again in the new subscription, behind those that were dropped.
    send(120, from: natter)
    #expect(
      try await natter.request("events.subscribe", number: 2)["after"]
        == .object(["me@example.org": .integer(101)]))
    for cursor in [102, 120] { send(cursor, from: natter, in: "s2") }
    let state = try await natter.waits(for: "the last message") {
      $0.requests("handled").contains { $0["body"] == .text("b120") }
    }
    #expect(handled(state) == ["b101", "b102", "b120"])
    #expect(await natter.end() == .exited(0))
  }

  @Test(arguments: Client.allCases)
  func `a note that came too fast is stored later`(client: Client) async throws {
    let refusals = Observed(0)
    let natter = try start(client) { method, _ in
      guard method == "storage.set", refusals.value < 2 else { return nil }
      refusals.update { $0 += 1 }
      return .error(code: -32005, text: "too fast", data: ["retry_ms": .integer(1)])
    }
    _ = try await natter.request("events.subscribe")
    send(101, from: natter)
    try await natter.waits(for: "the note") {
      $0.stored.values.contains { $0.string?.contains("101") == true }
    }
    #expect(handled(natter.observed.value) == ["b101"])
    #expect(await natter.end() == .exited(0))
  }

  @Test(arguments: Client.allCases)
  func `errors have their code and their data, in both directions`(client: Client) async throws {
    let natter = try start(client) { method, _ in
      method == "refuse"
        ? .error(code: -32001, text: "Not you.", data: ["reason": .text("declined")]) : nil
    }
    #expect(try await natter.run("refused")?["note"] == .text("-32001 declined Not you."))
    let failed = try await natter.ask("command.run", .object(["name": .text("fail")]))
    #expect(failed["error"]?["code"] == .integer(-32603))
    #expect(failed["error"]?["message"] == .text("a mistake"))
    #expect(try await natter.ask("ping")["result"] == .object([:]))
    #expect(await natter.end() == .exited(0))
  }

  @Test(arguments: [("natter.mjs", 200), ("natter.py", 150)])
  func `a client stays small`(name: String, limit: Int) throws {
    let text = try String(
      contentsOf: Programs.checkout.appending(path: "Resources/scripts/\(name)"), encoding: .utf8)
    let lines = text.split(separator: "\n")
    #expect(lines.count <= limit)
    #expect(lines.filter { $0.count > 100 } == [])
  }
}

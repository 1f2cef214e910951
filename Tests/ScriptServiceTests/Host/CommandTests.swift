import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// Commands of a script, and its part of the screen.
@Suite struct CommandTests {
  private static func call(_ arguments: String...) -> ScriptCommandCall {
    var call = ScriptCommandCall(script: "bot", command: "greet", arguments: arguments)
    call.account = TestAccount.jid
    call.conversation = TestAccount.tea
    return call
  }

  @Test(arguments: [
    (#"{"note":"done"}"#, ScriptCommandResult.note("done")),
    (#"{"insert":"hello bob"}"#, .insert("hello bob")), (#"{"pane":"list"}"#, .pane("list")),
    ("{}", .nothing), ("null", .nothing),
  ])
  func `a command has its arguments, and its answer is a result`(
    answer: String, result: ScriptCommandResult
  ) async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    async let ran = fixture.host.run(Self.call("bob", "x y"))
    let (id, parameters) = try await script.request("command.run")
    #expect(id == "n1")
    #expect(
      parameters.text
        == #"{"account":"alice@example.org","arguments":["bob","x y"],"#
        + #""conversation":"tea@rooms.example.org","name":"greet"}"#)
    script.reply(to: id, answer)
    #expect(try await ran == result)
  }

  @Test(arguments: [#"{"note":5}"#, #"{"pane":"other"}"#, #"{"insert":{}}"#])
  func `an answer that is no result is an error`(answer: String) async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    let ran = Task { try await fixture.host.run(Self.call()) }
    script.reply(to: try await script.request("command.run").id, answer)
    let error = await #expect(throws: NatterError.self) { try await ran.value }
    #expect(error?.key == "error.script.answer")
  }

  @Test func `the error of a script is shown, made safe`() async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    let ran = Task { try await fixture.host.run(Self.call()) }
    let id = try await script.request("command.run").id
    script.write(
      #"{"jsonrpc":"2.0","id":"\#(id)","error":{"code":1,"message":"no \u001b[2J city"}}"#)
    let error = await #expect(throws: NatterError.self) { try await ran.value }
    #expect(error?.key == "error.script.refused")
    #expect(error?.arguments["text"] == "no \\u{1b}[2J city")
  }

  @Test func `a command starts a script that sleeps`() async throws {
    let fixture = try HostFixture()
    async let ran = fixture.host.run(Self.call())
    let script = try await fixture.starter.script()
    try await script.greet()
    script.reply(to: try await script.request("command.run").id, #"{"note":"up"}"#)
    #expect(try await ran == .note("up"))
    // A simple script takes the first line for the answer to its hello.
    #expect(script.streams.input.value.first?.hasPrefix(#"{"jsonrpc":"2.0","id":1,"#) == true)
  }

  @Test func `a command has ten seconds, and sixty with progress`() async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    let slow = Task { try await fixture.host.run(Self.call()) }
    let id = try await script.request("command.run").id
    #expect(await fixture.sleeps(.seconds(10)))
    let progress = try await script.call("progress", #"{"id":"\#(id)"}"#)
    #expect(progress["waits"] == .boolean(true))
    fixture.clock.advance(by: .seconds(10))
    #expect(await fixture.sleeps(.seconds(50)))
    script.reply(to: id, #"{"note":"late"}"#)
    #expect(try await slow.value == .note("late"))
    #expect(
      try await script.call("progress", #"{"id":"\#(id)"}"#)["waits"] == .boolean(false))
  }

  @Test func `three commands in a row without an answer have the script started again`()
    async throws
  {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    let calls = (0..<3).map { _ in Task { try await fixture.host.run(Self.call()) } }
    let mark = #""method":"command.run""#
    #expect(await script.streams.input.waits { $0.count { $0.contains(mark) } == 3 })
    // Beside the three there is the look at its memory.
    #expect(
      try await polls { fixture.clock.sleeps.count { $0 == .seconds(10) } == 4 })
    fixture.clock.advance(by: .seconds(10))
    for call in calls {
      let error = await #expect(throws: NatterError.self) { try await call.value }
      #expect(error?.key == "error.script.timedOut")
    }
    #expect(await fixture.sleeps(.seconds(1), alone: true))
    fixture.clock.advance(by: .seconds(1))
    try await fixture.starter.script(2).greet()
  }

  @Test func `a command ends with its script`() async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    let ran = Task { try await fixture.host.run(Self.call()) }
    _ = try await script.request("command.run")
    script.end(.signal(11))
    let error = await #expect(throws: NatterError.self) { try await ran.value }
    #expect(error?.key == "error.script.gone")
  }

  @Test func `a status item needs its right, and is removed with the script`() async throws {
    let fixture = try HostFixture { manifest in
      manifest.permissions.append(ScriptManifest.Permission(.status, why: "to count"))
    }
    let script = try await fixture.start()
    let set = #"{"id":"count","text":"3 new messages for the user","role":"good","ttl":60}"#
    #expect(try await script.code(of: "ui.status.set", set) == -32001)
    #expect(fixture.rights.asked == ["ui.status"])
    fixture.rights.hold(.status)
    try await script.call("ui.status.set", set)
    #expect(try await script.code(of: "ui.status.set", #"{"id":"x","text":""}"#) == -32602)
    await fixture.host.stop()
    let items = fixture.statusItems
    #expect(items.map(\.text) == ["3 new messages for t"])
    #expect(items.first?.role == .good)
    #expect(items.first?.until == fixture.clock.date.addingTimeInterval(60))
    let changes = fixture.events.value.compactMap { event in
      switch event {
      case .status: "status"
      case .ended: "ended"
      default: nil
      }
    }
    #expect(changes == ["status", "ended"])
  }

  @Test func `of status items that change too fast the last is shown`() async throws {
    let fixture = try HostFixture { manifest in
      manifest.permissions.append(ScriptManifest.Permission(.status, why: "to count"))
    }
    fixture.rights.hold(.status)
    let script = try await fixture.start()
    for number in 1...15 {
      try await script.call("ui.status.set", #"{"id":"count","text":"\#(number)"}"#)
    }
    #expect(fixture.statusItems.map(\.text) == (1...10).map(String.init))
    #expect(await fixture.sleeps(.milliseconds(100)))
    fixture.clock.advance(by: .milliseconds(100))
    #expect(await fixture.events.waits { _ in fixture.statusItems.count == 11 })
    #expect(fixture.statusItems.last?.text == "15")
  }

  @Test func `a status item that changes without end does not hold up others`() async throws {
    let fixture = try HostFixture { manifest in
      manifest.permissions.append(ScriptManifest.Permission(.status, why: "to count"))
      manifest.statusItems = ["a", "b"]
    }
    fixture.rights.hold(.status)
    let script = try await fixture.start()
    for number in 1...11 {
      try await script.call("ui.status.set", #"{"id":"a","text":"\#(number)"}"#)
    }
    try await script.call("ui.status.set", #"{"id":"b","text":"other"}"#)
    try await script.call("ui.status.set", #"{"id":"a","text":"12"}"#)
    #expect(await fixture.sleeps(.milliseconds(100)))
    fixture.clock.advance(by: .milliseconds(100))
    #expect(await fixture.events.waits { _ in fixture.statusItems.last?.text == "12" })
    try await script.call("ui.status.set", #"{"id":"a","text":"13"}"#)
    #expect(await fixture.sleeps(.milliseconds(100)))
    fixture.clock.advance(by: .milliseconds(100))
    #expect(await fixture.events.waits { _ in fixture.statusItems.last?.text == "other" })
  }
}

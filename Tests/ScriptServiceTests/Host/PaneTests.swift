import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// The panes of a script.
@Suite(.timeLimit(.minutes(1))) struct PaneTests {
  private func fixture() throws -> HostFixture {
    let fixture = try HostFixture { manifest in
      manifest.permissions.append(ScriptManifest.Permission(.panes, why: "to list"))
    }
    return fixture
  }

  private func panes(_ fixture: HostFixture) -> [ScriptPane] {
    fixture.events.value.compactMap { if case .pane(let pane) = $0 { pane } else { nil } }
  }

  private static let open =
    #"{"id":"list","title":"Tickets","lines":[{"text":"see #12","role":"bad","#
    + #""spans":[{"start":4,"length":3,"role":"good"}]},{"text":"rest"}],"#
    + #""keys":[{"key":"o","label":"open"}]}"#

  @Test func `a pane needs its right, and has what the script says`() async throws {
    let fixture = try fixture()
    let script = try await fixture.start()
    #expect(try await script.code(of: "ui.pane.open", Self.open) == -32001)
    #expect(fixture.rights.asked == ["ui.pane"])
    fixture.rights.hold(.panes)
    try await script.call("ui.pane.open", Self.open)
    let pane = try #require(panes(fixture).last)
    #expect(pane.script == "bot" && pane.id == "list" && pane.title == "Tickets")
    #expect(
      pane.lines == [.init("see #12", .bad, spans: [.init(4..<7, .good)]), .init("rest")])
    #expect(pane.keys == [.init("o", "open")])
  }

  @Test func `an update changes what it has, and nothing else`() async throws {
    let fixture = try fixture()
    fixture.rights.hold(.panes)
    let script = try await fixture.start()
    #expect(try await script.code(of: "ui.pane.update", #"{"id":"list","lines":[]}"#) == -32004)
    try await script.call("ui.pane.open", Self.open)
    try await script.call("ui.pane.update", #"{"id":"list","lines":[{"text":"new"}]}"#)
    let pane = try #require(panes(fixture).last)
    #expect(pane.title == "Tickets" && pane.lines == [.init("new")] && pane.keys.count == 1)
    try await script.call("ui.pane.open", #"{"id":"list","title":"Other","lines":[]}"#)
    #expect(panes(fixture).last?.keys == [])
  }

  @Test(arguments: [
    (#"{"title":"t","lines":[]}"#, "id"), (#"{"id":"none","title":"t","lines":[]}"#, "id"),
    (#"{"id":"list","lines":[]}"#, "title"), (#"{"id":"list","title":"t"}"#, "lines"),
    (#"{"id":"list","title":"t","lines":["x"]}"#, "lines[0].text"),
    (#"{"id":"list","title":"t","lines":[{"text":"x","role":"red"}]}"#, "lines[0].role"),
    (
      #"{"id":"list","title":"t","lines":[{"text":"x","spans":[{"start":0}]}]}"#,
      "lines[0].spans[0].length"
    ),
    (
      #"{"id":"list","title":"t","lines":[{"text":"xyz","#
        + #""spans":[{"start":0,"length":2},{"start":1,"length":1}]}]}"#,
      "lines[0].spans[1].start"
    ),
    (#"{"id":"list","title":"t","lines":[],"keys":[{"key":"no"}]}"#, "keys[0].key"),
    (
      #"{"id":"list","title":"t","lines":[],"keys":[{"key":"a"},{"key":"a"}]}"#, "keys[1].key"
    ),
  ])
  func `a parameter that is not valid is named, before the right`(
    parameters: String, path: String
  ) async throws {
    let fixture = try fixture()
    let script = try await fixture.start()
    let error = try await script.failure(of: "ui.pane.open", parameters)
    #expect(error["code"] == .integer(-32602))
    #expect(error["data"]?["path"] == .text(path))
    #expect(fixture.rights.asked == [])
  }

  @Test func `a pane has at most 2,000 lines and 256 KiB, and a line 4 KiB`() async throws {
    let fixture = try fixture()
    fixture.rights.hold(.panes)
    let script = try await fixture.start()
    func open(_ line: String, _ count: Int) -> String {
      let lines = Array(repeating: #"{"text":"\#(line)"}"#, count: count).joined(separator: ",")
      return #"{"id":"list","title":"t","lines":[\#(lines)]}"#
    }
    #expect(try await script.code(of: "ui.pane.open", open("a", 2001)) == -32602)
    let long = String(repeating: "a", count: 5000)
    #expect(try await script.code(of: "ui.pane.open", open(long, 65)) == -32007)
    try await script.call("ui.pane.open", open(long, 64))
    #expect(panes(fixture).last?.lines.last?.text.utf8.count == 4096)
  }

  @Test func `a key of a pane is a request, with the line and the conversation`() async throws {
    let fixture = try fixture()
    let script = try await fixture.start()
    var call = ScriptScreenCall(script: "bot", .key("o", line: 3, pane: "list"))
    (call.account, call.conversation) = (TestAccount.jid, TestAccount.tea)
    let asked = Task { [call] in try await fixture.host.ask(call) }
    let (id, parameters) = try await script.request("pane.key")
    #expect(
      parameters.text
        == #"{"account":"alice@example.org","conversation":"tea@rooms.example.org","#
        + #""id":"list","key":"o","line":3}"#)
    script.reply(to: id, ##"{"insert":"#12"}"##)
    #expect(try await asked.value == .insert("#12"))
  }

  @Test func `a key has five seconds`() async throws {
    let fixture = try fixture()
    let script = try await fixture.start()
    let asked = Task {
      try await fixture.host.ask(
        ScriptScreenCall(script: "bot", .key("o", line: 0, pane: "list")))
    }
    _ = try await script.request("pane.key")
    #expect(await fixture.sleeps(.seconds(5)))
    fixture.clock.advance(by: .seconds(5))
    let error = await #expect(throws: NatterError.self) { try await asked.value }
    #expect(error?.key == "error.script.timedOut")
  }

  private var address: ScriptScreenCall {
    var call = ScriptScreenCall(script: "bot", .open("https://t.example/12"))
    (call.account, call.conversation) = (TestAccount.jid, TestAccount.tea)
    return call
  }

  @Test func `an address goes to a script that holds the right, and starts it`() async throws {
    let fixture = try fixture()
    fixture.rights.hold(.addresses)
    let (host, call) = (fixture.host, address)
    let asked = Task { try await host.ask(call) }
    let script = try await fixture.starter.script()
    try await script.greet()
    let (id, parameters) = try await script.request("url.open")
    #expect(
      parameters.text
        == #"{"account":"alice@example.org","conversation":"tea@rooms.example.org","#
        + #""url":"https://t.example/12"}"#)
    #expect(await fixture.sleeps(.seconds(5)))
    script.reply(to: id, #"{"pane":"list"}"#)
    #expect(try await asked.value == .pane("list"))
    #expect(fixture.rights.asked == [])
  }

  @Test func `without the right an address does not even start a script`() async throws {
    let fixture = try fixture()
    let error = await #expect(throws: NatterError.self) { try await fixture.host.ask(address) }
    #expect(error?.key == "error.script.addresses")
    #expect(fixture.rights.asked == ["ui.url"])
    #expect(fixture.starter.scripts.value.isEmpty)
  }
}

import Foundation
import NatterCore
import TestSupport
import Testing

@testable import ScriptService

/// What the façade of the scripts has for the screen, without processes.
@Suite(.timeLimit(.minutes(1))) struct ScriptsScreenTests {
  @Test func `what a script has in the status line goes with its right, or with the script`()
    async throws
  {
    let fixture = try await ScriptsFixture.enabled([.status]) {
      $0.permissions.append(.init(.status, why: "to count"))
    }
    defer { fixture.remove() }
    await fixture.scripts.begin()
    let host = try #require(fixture.events.hosts.value.first)
    func set(_ text: String) async {
      await host.services.report(.status(id: "count", text: text, role: .good, until: nil))
    }
    func texts() -> [String] { fixture.scripts.statusItems().map(\.text) }
    await set("1")
    #expect(texts() == ["1"])
    await host.services.report(.ended)
    #expect(texts().isEmpty)
    await set("2")
    try await fixture.scripts.revoke(.status, of: "greeter")
    #expect(texts().isEmpty)
    await set("3")
    #expect(texts().isEmpty)
    await fixture.scripts.end()
  }

  @Test func `a script that is disabled has nothing in the status line`() async throws {
    let fixture = try await ScriptsFixture.enabled([.status]) {
      $0.permissions.append(.init(.status, why: "to count"))
    }
    defer { fixture.remove() }
    await fixture.scripts.begin()
    let host = try #require(fixture.events.hosts.value.first)
    await host.services.report(.status(id: "count", text: "1", role: .good, until: nil))
    #expect(fixture.scripts.statusItems().count == 1)
    try await fixture.scripts.setEnabled(false, "greeter")
    #expect(fixture.scripts.statusItems().isEmpty)
    await fixture.scripts.end()
  }

  @Test func `a key of a pane goes to its script, and to none that does not run`() async throws {
    let fixture = try await ScriptsFixture.enabled([.panes]) {
      $0.permissions.append(.init(.panes, why: "to list"))
    }
    defer { fixture.remove() }
    await fixture.scripts.begin()
    let host = try #require(fixture.events.hosts.value.first)
    await host.services.report(.pane(ScriptPane(script: "greeter", id: "list", title: "List")))
    #expect(fixture.scripts.pane("list", of: "greeter")?.title == "List")
    let call = ScriptScreenCall(script: "greeter", .key("o", line: 2, pane: "list"))
    #expect(try await fixture.scripts.ask(call) == .nothing)
    #expect(fixture.events.log.value.last == "key o 2 list")
    await #expect(throws: NatterError.self) {
      try await fixture.scripts.ask(
        ScriptScreenCall(script: "none", .key("o", line: 0, pane: "list")))
    }
    await fixture.scripts.end()
  }

  @Test func `a right that was taken back is refused, and not one that was never given`()
    async throws
  {
    let fixture = try await ScriptsFixture.enabled([.addresses]) {
      $0.permissions += [.init(.addresses, why: "to open"), .init(.status, why: "to count")]
    }
    defer { fixture.remove() }
    await fixture.scripts.begin()
    #expect(await fixture.scripts.scripts()?.first?.refused == [])
    try await fixture.scripts.revoke(.addresses, of: "greeter")
    #expect(await fixture.scripts.scripts()?.first?.refused == [.addresses])
    await fixture.scripts.end()
  }
}

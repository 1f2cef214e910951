import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// Files of scripts, and grants, that change while Natter runs.
@Suite(.timeLimit(.minutes(1))) struct ReloadTests {
  private func fixture(
    _ change: (inout ScriptManifest) -> Void = { _ in }
  ) async throws -> ScriptsFixture {
    let root = ScriptsFixture.newRoot()
    let fixture = try ScriptsFixture([ScriptsFixture.script(in: root, change)], in: root)
    try await fixture.enable()
    await fixture.scripts.begin()
    return fixture
  }

  /// Changes a file of the script: one event.
  private func touch(_ fixture: ScriptsFixture, _ name: String) {
    #expect(mkdir(fixture.folders.user + "/greeter/" + name, 0o700) == 0)
  }

  @Test func `a running script is ended and started anew 300 ms after the last change`()
    async throws
  {
    let fixture = try await fixture()
    defer { fixture.remove() }
    try await fixture.scripts.restart("greeter")
    let before = fixture.events.log.value
    touch(fixture, "a")
    #expect(await fixture.clock.waits(untilSleeping: 1))
    fixture.clock.advance(by: .milliseconds(200))
    touch(fixture, "b")
    // The first wait is given up.
    try await until { fixture.clock.sleeps == [.milliseconds(300)] }
    fixture.clock.advance(by: .milliseconds(299))
    #expect(fixture.events.log.value == before)
    fixture.clock.advance(by: .milliseconds(1))
    #expect(await fixture.events.has("start greeter", times: 2))
    #expect(fixture.events.log.value == before + ["stop greeter", "start greeter"])
    // The same host: it knows how far the script has read.
    #expect(fixture.events.hosts.value.count == 1)
    await fixture.scripts.end()
  }

  @Test func `a right for one process ends with it, also when another one follows`()
    async throws
  {
    let fixture = try await fixture()
    defer { fixture.remove() }
    try await fixture.scripts.restart("greeter")
    let rights = try #require(fixture.events.hosts.value.first).services.rights
    let request = Task { await rights.request(.network) }
    try await until { await !fixture.scripts.questions.open().isEmpty }
    let question = try #require(await fixture.scripts.questions.open().first)
    try await fixture.scripts.questions.answer(question.id, .once)
    #expect(await request.value == .held(.all))
    // It is started anew, so that its process has the right.
    #expect(await fixture.events.has("start greeter", times: 2))
    #expect(rights.holds(.network))
    try await fixture.scripts.restart("greeter")
    #expect(!rights.holds(.network))
    await fixture.scripts.end()
  }

  @Test func `a new manifest has a new host, which knows how far the script has read`()
    async throws
  {
    let fixture = try await fixture()
    defer { fixture.remove() }
    try await fixture.scripts.restart("greeter")
    fixture.setFound([
      ScriptsFixture.script(in: fixture.root) { manifest in
        manifest = ScriptManifest(title: "Other", version: "2", run: manifest.run)
      }
    ])
    await fixture.scripts.reload("greeter")
    #expect(fixture.events.hosts.value.count == 2)
    let host = try #require(fixture.events.hosts.value.last)
    #expect(host.script.cursors == ["me@x.example": 7])
    #expect(host.script.manifest.title == "Other")
    #expect(fixture.events.log.value.last == "start greeter")
    // What the earlier host reports late does not count.
    await fixture.events.hosts.value[0].services.report(.state(.sleeping))
    #expect(await fixture.state() == .running)
    await fixture.scripts.end()
  }

  @Test func `a sleeping script is not started by a change, one that has failed is`()
    async throws
  {
    let fixture = try await fixture()
    defer { fixture.remove() }
    let before = fixture.events.log.value
    await fixture.scripts.reload("greeter")
    #expect(fixture.events.log.value == before)
    await fixture.events.hosts.value[0].services.report(
      .state(.failed(StatusNotice(.error, "error.script.crashed"))))
    await fixture.scripts.reload("greeter")
    #expect(await fixture.state() == .running)
    await fixture.scripts.end()
  }

  @Test func `another digest ends a script until the user has looked`() async throws {
    let fixture = try await fixture()
    defer { fixture.remove() }
    try await fixture.scripts.restart("greeter")
    fixture.setFound([ScriptsFixture.script(in: fixture.root, digest: "d2")])
    let changes = fixture.scripts.changes()
    touch(fixture, "a")
    #expect(await fixture.clock.waits(untilSleeping: 1))
    fixture.clock.advance(by: .milliseconds(300))
    #expect(await fixture.events.has("stop greeter", times: 2))
    #expect(await fixture.state() == .changed)
    for await change in changes {
      guard case .notice(let notice) = change else { continue }
      #expect(notice == StatusNotice(.warning, "error.script.state.changed", ["name": "greeter"]))
      break
    }
    await fixture.scripts.end()
  }

  @Test func `a script whose manifest was not valid works again once it is corrected`() async throws
  {
    let fixture = try await fixture()
    defer { fixture.remove() }
    try await fixture.scripts.restart("greeter")
    let notice = StatusNotice(.error, "error.script.manifest.syntax")
    fixture.setFound([
      FoundScript(
        name: "greeter", folder: fixture.folders.user + "/greeter", isShipped: false,
        reading: .bad(line: 3, notice))
    ])
    touch(fixture, "a")
    #expect(await fixture.clock.waits(untilSleeping: 1))
    fixture.clock.advance(by: .milliseconds(300))
    #expect(await fixture.events.has("stop greeter", times: 2))
    #expect(await fixture.state() == .bad(line: 3, notice))
    fixture.setFound([ScriptsFixture.script(in: fixture.root)])
    touch(fixture, "b")
    #expect(await fixture.clock.waits(untilSleeping: 1))
    fixture.clock.advance(by: .milliseconds(300))
    #expect(await fixture.events.hosts.waits { $0.count == 2 })
    let call = ScriptCommandCall(script: "greeter", command: "greet", arguments: [])
    try await until { (try? await fixture.scripts.run(call)) == .note("greet") }
    await fixture.scripts.end()
  }

  @Test func `grants that another process changes count at once`() async throws {
    let fixture = try await fixture()
    defer { fixture.remove() }
    let rights = try #require(fixture.events.hosts.value.first).services.rights
    let changes = fixture.scripts.changes()
    #expect(!rights.holds(.bridge(.readMessages)))
    try await fixture.enable("greeter", .bridge(.readMessages))
    for await _ in changes where rights.holds(.bridge(.readMessages)) { break }
    try await fixture.grant { $0.remove(nil) }
    for await _ in changes where !rights.holds(.bridge(.readMessages)) { break }
    #expect(
      rights.bridge.current(.readMessages, in: ScriptsFixture.account) == .refused(.revoked))
    try await fixture.grant { $0.isEnabled = false }
    #expect(await fixture.events.has("stop greeter"))
    await fixture.scripts.end()
  }

  @Test func `a restart that the shell asks for is done once by each Natter`() async throws {
    let fixture = try await fixture()
    defer { fixture.remove() }
    let time = Date(timeIntervalSince1970: 1_796_000_000)
    try await fixture.grant { $0.restarted = time }
    #expect(await fixture.events.has("start greeter"))
    // Another change is none.
    try await fixture.scripts.setSetting("name", to: "Bob", of: "greeter")
    let before = fixture.events.log.value.count { $0 == "start greeter" }
    try await fixture.grant { $0.restarted = time.addingTimeInterval(1) }
    #expect(await fixture.events.has("start greeter", times: before + 1))
    #expect(try fixture.stored()?.settings == ["name": "Bob"])
    await fixture.scripts.end()
    // What was asked for before is done.
    let events = fixture.events.log.value
    let later = try ScriptsFixture([ScriptsFixture.script(in: fixture.root)], in: fixture.root)
    await later.scripts.begin()
    let changes = later.scripts.changes()
    try await later.grant { $0.never = [.network] }
    for await change in changes where change == .list { break }
    await later.scripts.end()
    #expect(!later.events.log.value.contains("start greeter"))
    #expect(fixture.events.log.value == events)
  }

  @Test func `the first grant is seen though its folder was not there`() async throws {
    let root = ScriptsFixture.newRoot()
    let fixture = try ScriptsFixture([ScriptsFixture.script(in: root)], in: root)
    defer { fixture.remove() }
    try FileManager.default.removeItem(atPath: fixture.folders.data)
    await fixture.scripts.begin()
    #expect(await fixture.state() == .off)
    try await fixture.enable()
    #expect(await fixture.events.hosts.waits { !$0.isEmpty })
    await fixture.scripts.end()
  }

  @Test func `a changed setting reaches the script`() async throws {
    let fixture = try await fixture()
    defer { fixture.remove() }
    try await fixture.scripts.setSetting("name", to: "Bob", of: "greeter")
    #expect(fixture.events.hosts.value.last?.script.settings == ["name": "Bob"])
    #expect(try fixture.stored()?.settings == ["name": "Bob"])
    try await fixture.scripts.setSetting("name", to: nil, of: "greeter")
    #expect(fixture.events.hosts.value.last?.script.settings == [:])
    await fixture.scripts.end()
  }
}

import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// The life of a script: start, end, crashes, sleep, other accounts.
@Suite struct LifeTests {
  @Test func `a script that does not say hello in time is ended`() async throws {
    let fixture = try HostFixture()
    let started = Task { try await fixture.host.start() }
    let script = try await fixture.starter.script()
    script.complain("still loading")
    // Those that wait for hello, for silence and for the next look.
    #expect(await fixture.clock.waits(untilSleeping: 3))
    fixture.clock.advance(by: .seconds(10))
    let error = await #expect(throws: NatterError.self) { try await started.value }
    #expect(error?.key == "error.script.muteWith")
    #expect(error?.arguments["line"] == "still loading")
    #expect(script.streams.input.value.last?.contains(#""method":"bye""#) == true)
  }

  @Test func `a program that cannot be started is reported`() async throws {
    let fixture = try HostFixture()
    fixture.starter.fail(StatusNotice(.error, "error.script.program", ["name": "node"]))
    let error = await #expect(throws: NatterError.self) { try await fixture.host.start() }
    #expect(error?.key == "error.script.program")
    #expect(error?.arguments["name"] == "node")
    #expect(await fixture.host.state != .sleeping)
    // An event does not start it again; the user may.
    await fixture.host.wake(for: "message.new")
    #expect(fixture.starter.scripts.value.isEmpty)
    fixture.starter.fail(nil)
    _ = try await fixture.start()
    #expect(await fixture.host.state == .running)
  }

  @Test func `the program gets its folders, and what is granted`() async throws {
    let fixture = try HostFixture { manifest in
      var folders = ScriptManifest.Permission(.readFolder, why: "")
      folders.paths = ["/srv/a"]
      manifest.permissions += [folders, ScriptManifest.Permission(.network, why: "")]
    }
    fixture.rights.hold(.readFolder)
    let script = try await fixture.start()
    #expect(script.program.command == ["./bot"])
    #expect(script.program.folder == fixture.script.folder)
    #expect(script.program.readable == ["/srv/a"])
    #expect(!script.program.hasNetwork)
    #expect(script.program.storage == fixture.script.storage)
  }

  @Test func `a script is ended in order, and what does not end is killed`() async throws {
    let fixture = try HostFixture()
    fixture.starter.makeDeaf(until: 9)
    let script = try await fixture.start()
    async let stopped: Void = fixture.host.stop()
    #expect(await script.streams.isClosed.waits { $0 })
    #expect(script.streams.input.value.last == #"{"jsonrpc":"2.0","method":"bye","params":{}}"#)
    #expect(await fixture.sleeps(.seconds(2)))
    fixture.clock.advance(by: .seconds(2))
    #expect(await script.signals.waits { $0 == [15] })
    #expect(await fixture.sleeps(.seconds(1)))
    fixture.clock.advance(by: .seconds(1))
    await stopped
    #expect(script.signals.value == [15, 9])
    #expect(fixture.states == [.running, .sleeping])
  }

  @Test func `a script that is being started is stopped at once`() async throws {
    let fixture = try HostFixture()
    let started = Task { try await fixture.host.start() }
    let script = try await fixture.starter.script()
    await fixture.host.stop()
    await #expect(throws: NatterError.self) { try await started.value }
    #expect(script.hasEnded)
    #expect(await fixture.host.state == .sleeping)
  }

  @Test func `a script that crashes just before it is stopped is not started again`()
    async throws
  {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    // So much that the rest is read later.
    let long = String(repeating: " ", count: 1 << 19)
    for _ in 0..<24 { script.write(#"{"jsonrpc":"2.0","method":"ping"}"# + long) }
    #expect(try await polls { fixture.clock.sleeps.contains { $0 < .seconds(4) } })
    script.end(.status(3))
    #expect(await fixture.sleeps(.seconds(1)))
    async let stopped: Void = fixture.host.stop()
    _ = await fixture.host.logLines()
    fixture.clock.advance(by: .seconds(1))
    await stopped
    #expect(try await polls { fixture.clock.sleeps.isEmpty })
    #expect(fixture.starter.scripts.value.count == 1)
    #expect(await fixture.host.state == .sleeping)
  }

  @Test func `a host that is not used any more starts nothing`() async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    await fixture.host.retire()
    #expect(script.hasEnded)
    await fixture.host.wake(for: "message.new")
    let error = await #expect(throws: NatterError.self) { try await fixture.host.start() }
    #expect(error?.key == "error.script.gone")
    await #expect(throws: NatterError.self) {
      _ = try await fixture.host.run(
        ScriptCommandCall(script: "bot", command: "greet", arguments: []))
    }
    #expect(fixture.starter.scripts.value.count == 1)
  }

  @Test func `the fourth crash within ten minutes is the last, and there is one notice`()
    async throws
  {
    let fixture = try HostFixture()
    var script = try await fixture.start()
    for (number, pause) in [1, 5, 30].enumerated() {
      script.complain("boom \(number)")
      script.end(.status(3))
      #expect(await fixture.sleeps(.seconds(pause), alone: true))
      fixture.clock.advance(by: .seconds(pause))
      script = try await fixture.starter.script(number + 2)
      try await script.greet()
      #expect(await fixture.reaches { $0 == .running })
    }
    script.complain("boom \u{1B}[2J")
    script.end(.status(3))
    let notice = try await fixture.failure()
    #expect(notice.key == "error.script.exitedWith")
    #expect(notice.arguments["status"] == "3")
    #expect(notice.arguments["line"] == "boom \\u{1b}[2J")
    #expect(fixture.states.count { if case .failed = $0 { true } else { false } } == 1)
    await fixture.host.wake(for: "message.new")
    #expect(fixture.starter.scripts.value.count == 4)
    #expect(await fixture.host.logLines().first == "boom 0")
  }

  @Test func `a script that has ended by itself sleeps until it is needed`() async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    script.end(.status(0))
    #expect(await fixture.reaches { $0 == .sleeping })
    async let woken: Void = fixture.host.wake(for: "message.new")
    let again = try await fixture.starter.script(2)
    try await again.greet()
    await woken
    #expect(await fixture.host.state == .running)
  }

  @Test func `an idle lazy script sleeps, and the events of its subscriptions wake it`()
    async throws
  {
    let fixture = try HostFixture { $0.start = .lazy }
    fixture.rights.hold(.readMessages)
    let script = try await fixture.start()
    try await script.call("events.subscribe", #"{"events":["message.new"]}"#)
    await fixture.account.receive(7, "hi")
    _ = try await script.line(#"{"jsonrpc":"2.0","method":"event""#)
    try await until("7") { await fixture.host.cursors == ["alice@example.org": 7] }
    #expect(await fixture.sleeps(ScriptLimits.idle))
    fixture.clock.advance(by: ScriptLimits.idle)
    #expect(await fixture.reaches { $0 == .sleeping })
    #expect(script.signals.value == [])
    await fixture.account.receive(8, "you")
    let again = try await fixture.starter.script(2)
    let hello = try await again.greet()
    #expect(hello["cursors"] == .object(["alice@example.org": .integer(7)]))
    // It reads what woke it after its cursor.
    try await again.call(
      "events.subscribe", #"{"events":["message.new"],"after":{"alice@example.org":7}}"#)
    let event = try await again.line(#"{"jsonrpc":"2.0","method":"event""#)
    #expect(event["params"]?["data"]?["body"]?.string == "you")
  }

  @Test func `the event that starts a script for the first time is sent to it, once`()
    async throws
  {
    let fixture = try HostFixture { $0.start = .lazy }
    fixture.rights.hold(.readMessages)
    await fixture.account.receive(7, "before")
    await fixture.account.receive(8, "it")
    async let woken: Void = fixture.host.wake(
      for: "message.new", after: [TestAccount.jid.description: 7])
    let script = try await fixture.starter.script(1)
    await fixture.account.receive(9, "meanwhile")
    let hello = try await script.greet()
    await woken
    let after = #"{"alice@example.org":7}"#
    #expect(hello["cursors"] == .object(["alice@example.org": .integer(7)]))
    try await script.call("events.subscribe", #"{"events":["message.new"],"after":\#(after)}"#)
    await fixture.account.receive(10, "then")
    let head = #"{"jsonrpc":"2.0","method":"event""#
    let news = { @Sendable (lines: [String]) in lines.filter { $0.hasPrefix(head) } }
    #expect(await script.received.waits { news($0).count >= 3 })
    // Anything that were sent twice would come before the answer.
    try await script.call("ping")
    let bodies = try news(script.received.value).map {
      try JSONValue(parsing: $0.utf8)["params"]?["data"]?["body"]?.string
    }
    #expect(bodies == ["it", "meanwhile", "then"])
    // Where it was sent a message, its own cursor counts.
    #expect(await fixture.host.cursors == ["alice@example.org": 10])
    script.end(.status(0))
    #expect(await fixture.reaches { $0 == .sleeping })
    async let again: Void = fixture.host.wake(
      for: "message.new", after: [TestAccount.jid.description: 3])
    #expect(
      try await fixture.starter.script(2).greet()["cursors"]
        == .object(["alice@example.org": .integer(10)]))
    await again
  }

  @Test func `a script that is silent and does not answer is started again`() async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    for number in 1...3 {
      #expect(await fixture.sleeps(.seconds(30)))
      fixture.clock.advance(by: .seconds(30))
      let head = #"{"jsonrpc":"2.0","id":"n\#(number)","method":"ping""#
      #expect(await script.streams.input.waits { $0.contains { $0.hasPrefix(head) } })
      #expect(await fixture.sleeps(.seconds(5)))
      fixture.clock.advance(by: .seconds(5))
    }
    #expect(await fixture.reaches { $0 == .sleeping })
    #expect(await fixture.sleeps(.seconds(1), alone: true))
    fixture.clock.advance(by: .seconds(1))
    try await fixture.starter.script(2).greet()
    #expect(await fixture.reaches { $0 == .running })
  }

  @Test func `a script with subscriptions is started anew when other accounts are open`()
    async throws
  {
    let fixture = try HostFixture()
    fixture.rights.hold(.readMessages)
    let script = try await fixture.start()
    // Without any it has another session of the bridge only.
    await fixture.host.accountsChanged()
    #expect(await fixture.account.sessions.waits { $0 == 2 })
    try await script.call("methods")
    try await script.call("events.subscribe", #"{"events":["message.new"]}"#)
    async let changed: Void = fixture.host.accountsChanged()
    let again = try await fixture.starter.script(2)
    try await again.greet()
    await changed
    #expect(script.hasEnded)
    #expect(await fixture.host.state == .running)
  }

  @Test func `without an account what needs none works, and the rest is not possible now`()
    async throws
  {
    let fixture = try HostFixture()
    fixture.account.isOpen.update { $0 = false }
    let script = try await fixture.start()
    try await script.call("storage.list")
    #expect(try await script.code(of: "accounts.list") == -32011)
    fixture.account.isOpen.update { $0 = true }
    async let changed: Void = fixture.host.accountsChanged()
    try await fixture.starter.script(2).greet()
    await changed
  }
}

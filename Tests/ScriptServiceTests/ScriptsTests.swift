import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// The façade of the scripts, without processes.
@Suite(.timeLimit(.minutes(1))) struct ScriptsTests {
  private func fixture(
    enabling rights: [ScriptRight]? = [], refusal: StatusNotice? = nil,
    _ change: (inout ScriptManifest) -> Void = { _ in }
  ) async throws -> ScriptsFixture {
    try await .enabled(rights, refusal: refusal, change)
  }

  private var call: ScriptCommandCall {
    ScriptCommandCall(script: "greeter", command: "greet", arguments: [])
  }

  @Test func `without an enabled script nothing is followed or started`() async throws {
    let fixture = try await fixture(enabling: nil)
    defer { fixture.remove() }
    await fixture.scripts.begin()
    #expect(await fixture.state() == .off)
    #expect(fixture.events.log.value.isEmpty)
    #expect(fixture.bridging.follows.value == 0)
    await #expect(throws: NatterError.self) { try await fixture.scripts.run(call) }
    await #expect(throws: NatterError.self) { try await fixture.scripts.restart("greeter") }
    await #expect(throws: NatterError.self) { try await fixture.scripts.setEnabled(true, "other") }
    await fixture.scripts.end()
  }

  @Test func `a lazy script sleeps until it is called, and is ended with the program`()
    async throws
  {
    let fixture = try await fixture()
    defer { fixture.remove() }
    await fixture.scripts.begin()
    #expect(await fixture.state() == .sleeping)
    #expect(fixture.events.log.value == ["permit"])
    #expect(try await fixture.scripts.run(call) == .note("greet"))
    #expect(await fixture.scripts.log(of: "greeter") == ["line"])
    await fixture.scripts.end()
    #expect(fixture.events.log.value.last == "stop greeter")
    await #expect(throws: NatterError.self) { try await fixture.scripts.run(call) }
  }

  @Test func `enabling stores what the user has looked at, and disabling keeps the grants`()
    async throws
  {
    let fixture = try await fixture(enabling: nil)
    defer { fixture.remove() }
    await fixture.scripts.begin()
    try await fixture.scripts.setEnabled(true, "greeter")
    #expect(await fixture.state() == .sleeping)
    #expect(try fixture.stored()?.digest == "d1")
    try await fixture.enable("greeter", .network)
    try await fixture.scripts.setEnabled(false, "greeter")
    #expect(await fixture.state() == .off)
    #expect(try fixture.stored()?.grants.count == 1)
    #expect(fixture.events.log.value.contains("stop greeter"))
    await fixture.scripts.end()
  }

  @Test func `a script that declares something else waits until the user has looked`()
    async throws
  {
    let fixture = try await fixture()
    defer { fixture.remove() }
    fixture.setFound([ScriptsFixture.script(in: fixture.root, digest: "d2")])
    await fixture.scripts.begin()
    #expect(await fixture.state() == .changed)
    await #expect(throws: NatterError.self) { try await fixture.scripts.run(call) }
    #expect(fixture.events.hosts.value.isEmpty)
    try await fixture.scripts.setEnabled(true, "greeter")
    #expect(await fixture.state() == .sleeping)
    await fixture.scripts.end()
  }

  @Test func `bad and unsafe scripts cannot be enabled`() async throws {
    let fixture = try await fixture(enabling: nil)
    defer { fixture.remove() }
    let notice = StatusNotice(.error, "error.script.manifest.unknownKey")
    fixture.setFound([
      FoundScript(
        name: "bad", folder: "/nowhere", isShipped: false, reading: .bad(line: 3, notice)),
      FoundScript(
        name: "open", folder: "/nowhere", isShipped: false, reading: .unsafe(path: "/nowhere")),
    ])
    await fixture.scripts.begin()
    #expect(await fixture.state("bad") == .bad(line: 3, notice))
    #expect(await fixture.state("open") == .unsafe(path: "/nowhere"))
    for name in ["bad", "open"] {
      await #expect(throws: NatterError.self) { try await fixture.scripts.setEnabled(true, name) }
      #expect(try fixture.stored(name) == nil)
    }
    await fixture.scripts.end()
  }

  @Test func `a script that starts with an account waits until one is online`() async throws {
    let fixture = try await fixture { $0.start = .login }
    defer { fixture.remove() }
    await fixture.scripts.begin()
    fixture.bridging.set([ScriptsFixture.account], isOnline: false)
    #expect(await fixture.events.has("accounts greeter"))
    #expect(!fixture.events.log.value.contains("start greeter"))
    fixture.bridging.set([ScriptsFixture.account], isOnline: true)
    #expect(await fixture.events.has("start greeter"))
    #expect(await fixture.state() == .running)
    // It is started once.
    fixture.bridging.set([ScriptsFixture.account], isOnline: true)
    // Another process takes the account, and runs the script; then it comes back.
    fixture.bridging.set([], isOnline: false)
    #expect(await fixture.events.has("stop greeter"))
    #expect(fixture.events.log.value.count { $0 == "start greeter" } == 1)
    fixture.bridging.set([ScriptsFixture.account], isOnline: true)
    #expect(await fixture.events.has("start greeter", times: 2))
    await fixture.scripts.end()
  }

  @Test func `an account that is opened again gives scripts another session`()
    async throws
  {
    let fixture = try await fixture()
    defer { fixture.remove() }
    await fixture.scripts.begin()
    fixture.bridging.set([ScriptsFixture.account], isOnline: true)
    #expect(await fixture.events.has("accounts greeter"))
    fixture.bridging.reopen()
    #expect(await fixture.events.has("accounts greeter", times: 2))
    await fixture.scripts.end()
  }

  @Test func `an event wakes a sleeping script that names it`() async throws {
    let fixture = try await fixture { $0.events = ["message.new"] }
    defer { fixture.remove() }
    await fixture.scripts.begin()
    #expect(fixture.bridging.names.value == [["message.new"]])
    fixture.bridging.happens("typing")
    fixture.bridging.happens("message.new", message: 8)
    #expect(await fixture.events.has("wake greeter message.new"))
    #expect(fixture.events.log.value.contains("after 7"))
    #expect(!fixture.events.log.value.contains("wake greeter typing"))
    await fixture.scripts.end()
  }

  @Test func `grants that cannot be read are none, which is reported once`() async throws {
    let fixture = try await fixture()
    defer { fixture.remove() }
    try Data("version = 1\nwhat = 2\n".utf8).write(to: URL(filePath: fixture.folders.grants))
    #expect(chmod(fixture.folders.grants, 0o600) == 0)
    let changes = fixture.scripts.changes()
    await fixture.scripts.begin()
    await fixture.scripts.applyGrants()
    #expect(await fixture.state() == .off)
    #expect(fixture.events.hosts.value.isEmpty)
    await #expect(throws: NatterError.self) {
      try await fixture.scripts.setEnabled(true, "greeter")
    }
    fixture.scripts.changed.send(.questions)
    var notices: [StatusNotice] = []
    for await change in changes {
      if case .notice(let notice) = change { notices.append(notice) }
      if change == .questions { break }
    }
    #expect(notices.map(\.key) == ["error.script.grants.damagedLine"])
    #expect(
      try String(contentsOfFile: fixture.folders.grants, encoding: .utf8)
        == "version = 1\nwhat = 2\n")
    await fixture.scripts.end()
  }

  @Test func `a right that is taken back is gone at once, and the network with its process`()
    async throws
  {
    let fixture = try await fixture(enabling: [.bridge(.readMessages), .network])
    defer { fixture.remove() }
    await fixture.scripts.begin()
    try await fixture.scripts.restart("greeter")
    let host = try #require(fixture.events.hosts.value.first)
    let rights = host.services.rights
    #expect(rights.bridge.current(.readMessages, in: ScriptsFixture.account) == .held(.all))
    var revocations = try #require(rights.bridge.revocations()).makeAsyncIterator()
    try await fixture.scripts.revoke(.bridge(.readMessages), of: "greeter")
    #expect(
      rights.bridge.current(.readMessages, in: ScriptsFixture.account) == .refused(.revoked))
    #expect(await revocations.next() == .init(.readMessages, in: nil))
    #expect(try fixture.stored()?.grants.map(\.grant.right) == [.network])
    try await fixture.scripts.revoke(nil, of: "greeter")
    #expect(!rights.holds(.network))
    #expect(await fixture.events.has("start greeter", times: 2))
    #expect(try fixture.stored()?.grants.isEmpty == true)
    await fixture.scripts.end()
  }

  @Test func `granted for good is not asked after a restart`() async throws {
    let fixture = try await fixture()
    defer { fixture.remove() }
    defer { fixture.remove() }
    await fixture.scripts.begin()
    let host = try #require(fixture.events.hosts.value.first)
    let request = Task {
      await host.services.rights.bridge.decision(
        .readMessages, in: ScriptsFixture.account)
    }
    let changes = fixture.scripts.changes()
    var question = await fixture.scripts.questions.open().first
    if question == nil {
      for await change in changes where change == .questions {
        question = await fixture.scripts.questions.open().first
        if question != nil { break }
      }
    }
    #expect(await fixture.state() == .asking)
    let rooms = BridgeScope(hasRooms: true)
    try await fixture.scripts.questions.answer(
      try #require(question).id, .always(ScriptGrant(.bridge(.readMessages), scope: rooms)))
    #expect(await request.value == .held(rooms))
    await fixture.scripts.end()

    let later = try ScriptsFixture(
      [ScriptsFixture.script(in: fixture.root)], in: fixture.root)
    await later.scripts.begin()
    let other = try #require(later.events.hosts.value.first)
    #expect(
      await other.services.rights.bridge.decision(.readMessages, in: ScriptsFixture.account)
        == .held(rooms))
    #expect(await later.scripts.scripts()?.first?.grants.first?.count == 1)
    await later.scripts.end()
  }

  @Test func `what the program does not permit is not started, and the reason is given once`()
    async throws
  {
    let notice = StatusNotice(.warning, "error.script.start.afterCrashes")
    let fixture = try await fixture(refusal: notice)
    defer { fixture.remove() }
    let changes = fixture.scripts.changes()
    #expect(await fixture.scripts.scripts() == nil)
    await fixture.scripts.begin()
    #expect(await fixture.state() == .off)
    #expect(await fixture.scripts.scripts()?.first?.refusal == notice)
    await #expect(throws: NatterError(.refused, notice.key)) {
      try await fixture.scripts.run(call)
    }
    #expect(fixture.events.log.value == ["permit"])
    fixture.scripts.changed.send(.questions)
    var notices: [StatusNotice] = []
    for await change in changes {
      if case .notice(let notice) = change { notices.append(notice) }
      if change == .questions { break }
    }
    #expect(notices == [notice])
    await fixture.scripts.end()
  }

  @Test func `a host that failed is reported once, with what its script shows`() async throws {
    let fixture = try await fixture()
    defer { fixture.remove() }
    let changes = fixture.scripts.changes()
    await fixture.scripts.begin()
    let host = try #require(fixture.events.hosts.value.first)
    let notice = StatusNotice(.error, "error.script.crashed")
    await host.services.report(.toast("hi"))
    await host.services.report(.requests(3))
    await host.services.report(.dropped(2))
    await host.services.report(.state(.failed(notice)))
    await host.services.report(.state(.failed(notice)))
    #expect(await fixture.state() == .failed(notice))
    let summary = await fixture.scripts.scripts()?.first
    #expect(summary?.requests == 3 && summary?.dropped == 2)
    fixture.scripts.changed.send(.questions)
    var shown: [ScriptChange] = []
    for await change in changes {
      if change == .questions { break }
      if change != .list { shown.append(change) }
    }
    #expect(shown == [.toast(title: "Greeter", text: "hi"), .notice(notice)])
    await fixture.scripts.end()
  }

  @Test func `a folder of scripts that cannot be read is reported once`() async throws {
    let notice = StatusNotice(.error, "error.script.manifest.unreadable", ["path": "/x"])
    let fixture = try ScriptsFixture([], problem: notice)
    defer { fixture.remove() }
    let changes = fixture.scripts.changes()
    await fixture.scripts.begin()
    for _ in 1...2 { #expect(await fixture.scripts.scripts() == []) }
    fixture.scripts.changed.send(.questions)
    var notices: [ScriptChange] = []
    for await change in changes {
      if change == .questions { break }
      if change != .list { notices.append(change) }
    }
    #expect(notices == [.notice(notice)])
    await fixture.scripts.end()
  }

  @Test func `the log of a script that does not run is what an earlier run has written`()
    async throws
  {
    let fixture = try await self.fixture()
    defer { fixture.remove() }
    await fixture.scripts.begin()
    let lines = (1...201).map { "line \($0)" } + ["\u{1B}[2J"]
    try Data(lines.joined(separator: "\n").utf8).write(
      to: URL(filePath: fixture.folders.log(of: "other")))
    let log = await fixture.scripts.log(of: "other")
    #expect(log.count == 200 && log.first == "line 3" && log.last == "\\u{1b}[2J")
    #expect(await fixture.scripts.log(of: "../other") == [])
    #expect(await fixture.scripts.log(of: "none") == [])
    // One that runs has its own lines.
    #expect(await fixture.scripts.log(of: "greeter") == ["line"])
    await fixture.scripts.end()
  }

  @Test func `a notice from before anything follows reaches the first follower`() async {
    let (changes, notice) = (ScriptChanges(), StatusNotice(.info, "error.script.start.none"))
    changes.send(.list)
    changes.send(.notice(notice))
    var first = changes.follow().makeAsyncIterator()
    changes.send(.questions)
    #expect(await first.next() == .notice(notice))
    #expect(await first.next() == .questions)
    var second = changes.follow().makeAsyncIterator()
    changes.send(.list)
    #expect(await second.next() == .list)
  }

  @Test func `events start a script that ends by itself only so often`() async throws {
    let root = ScriptsFixture.newRoot()
    let found = ScriptsFixture.script(in: root) { manifest in
      (manifest.start, manifest.events) = (.lazy, ["message.new"])
    }
    let fixture = try ScriptsFixture([found], in: root)
    defer { fixture.remove() }
    try await fixture.enable()
    await fixture.scripts.begin()
    let host = try #require(fixture.events.hosts.value.first)
    func wakes() -> Int { fixture.events.log.value.count { $0.hasPrefix("wake") } }
    for number in 1...5 {
      #expect(
        try await polls {
          fixture.bridging.happens("message.new")
          return wakes() == number
        })
      await host.services.report(.state(.sleeping))
    }
    #expect(
      try await polls {
        fixture.bridging.happens("message.new")
        return fixture.clock.sleeps == [.seconds(5)]
      })
    #expect(wakes() == 5)
    fixture.clock.advance(by: .seconds(5))
    #expect(await fixture.events.has("wake greeter message.new", times: 6))
    await fixture.scripts.end()
  }

  @Test func `a right that was refused for good can be asked for again`() async throws {
    let root = ScriptsFixture.newRoot()
    let fixture = try ScriptsFixture([ScriptsFixture.script(in: root)], in: root)
    defer { fixture.remove() }
    try await fixture.enable()
    try await fixture.grant { $0.never = [.bridge(.readMessages), .network] }
    await fixture.scripts.begin()
    let rights = try #require(fixture.events.hosts.value.first).services.rights.bridge
    #expect(rights.current(.readMessages, in: ScriptsFixture.account) == .refused(.declined))
    #expect(await fixture.scripts.scripts()?.first?.never.count == 2)
    try await fixture.scripts.revoke(.bridge(.readMessages), of: "greeter")
    #expect(rights.current(.readMessages, in: ScriptsFixture.account) == .refused(.notAsked))
    #expect(try fixture.stored()?.never == [.network])
    await fixture.scripts.end()
  }

  @Test func `an event whose right was refused starts no script`() async throws {
    let root = ScriptsFixture.newRoot()
    let found = ScriptsFixture.script(in: root) { manifest in
      manifest.permissions.append(.init(.bridge(.readRooms), why: "to see"))
      (manifest.start, manifest.events) = (
        .lazy, ["message.new", "contact.changed", "room.changed"]
      )
    }
    let fixture = try ScriptsFixture([found], in: root)
    defer { fixture.remove() }
    try await fixture.enable()
    try await fixture.grant { $0.never = [.bridge(.readMessages)] }
    await fixture.scripts.begin()
    // Refused, not declared, and one that it can ask for.
    for event in ["message.new", "contact.changed", "room.changed"] {
      fixture.bridging.happens(event)
    }
    #expect(await fixture.events.has("wake greeter room.changed"))
    #expect(fixture.events.log.value.count { $0.hasPrefix("wake") } == 1)
    await fixture.scripts.end()
  }
}

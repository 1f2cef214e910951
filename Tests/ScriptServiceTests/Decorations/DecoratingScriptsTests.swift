import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// Which messages scripts decorate: manifest, rights, reloads.
@Suite(.timeLimit(.minutes(1))) struct DecoratingScriptsTests {
  private static let bob = JID(local: "bob", domain: "x.example")
  private static let tea = JID(local: "tea", domain: "rooms.example")
  private static let rights = [ScriptRight.decorations, .bridge(.readMessages)]

  private static func script(_ name: String = "greeter", in root: URL) -> FoundScript {
    ScriptsFixture.script(name, in: root) { manifest in
      manifest.permissions = rights.map { .init($0, why: "to mark") }
      manifest.decorated = BridgeScope(hasRooms: true, addresses: [bob])
    }
  }

  private func fixture(
    _ names: [String] = ["greeter"], enabling rights: [ScriptRight] = Self.rights
  ) async throws -> ScriptsFixture {
    let root = ScriptsFixture.newRoot()
    let fixture = try ScriptsFixture(names.map { Self.script($0, in: root) }, in: root)
    for name in names {
      try await fixture.grant(name) { entry in
        (entry.isEnabled, entry.digest) = (true, "d1")
        for right in rights {
          entry.add(
            ScriptGrants.StoredGrant(ScriptGrant(right), given: Date(timeIntervalSince1970: 1)))
        }
      }
    }
    await fixture.scripts.begin()
    return fixture
  }

  private func request(
    _ id: Int64 = 1, in conversation: JID = Self.tea,
    _ kind: Conversation.ConversationKind = .room
  ) -> DecorationRequest {
    DecorationRequest(
      [.init(.init(id), "text")], in: conversation, kind, of: ScriptsFixture.account)
  }

  @Test func `messages are decorated where manifest and rights say so`() async throws {
    let fixture = try await fixture()
    defer { fixture.remove() }
    let marked = MessageDecoration(spans: [.init(0..<1, .good)], notes: ["greeter"])
    #expect(await fixture.scripts.decorations(of: request()) == [.init(1): marked])
    #expect(
      await fixture.scripts.decorations(of: request(2, in: Self.bob, .direct))
        == [.init(2): marked])
    let carol = JID(local: "carol", domain: "x.example")
    #expect(await fixture.scripts.decorations(of: request(3, in: carol, .direct)) == [:])
    #expect(await fixture.scripts.decorations(of: request()) == [.init(1): marked])
    #expect(
      fixture.events.log.value.filter { $0.hasPrefix("decorate") } == ["decorate 1", "decorate 2"])
    let uses = await fixture.scripts.scripts()?.first?.grants ?? []
    #expect(uses.map(\.count) == [2, 2])
    await fixture.scripts.end()
  }

  @Test func `two scripts decorate one message`() async throws {
    let fixture = try await fixture(["greeter", "tickets"])
    defer { fixture.remove() }
    #expect(
      await fixture.scripts.decorations(of: request()) == [
        .init(1): MessageDecoration(spans: [.init(0..<1, .good)], notes: ["greeter", "tickets"])
      ])
    await fixture.scripts.end()
  }

  @Test(arguments: rights)
  func `a right that is taken back takes the decorations with it`(right: ScriptRight) async throws {
    let fixture = try await fixture()
    defer { fixture.remove() }
    #expect(await fixture.scripts.decorations(of: request()).count == 1)
    let changes = fixture.scripts.changes()
    try await fixture.scripts.revoke(right, of: "greeter")
    #expect(await fixture.scripts.decorations(of: request()) == [:])
    #expect(await fixture.scripts.decorations(of: request(2)) == [:])
    #expect(!fixture.events.log.value.contains("decorate 2"))
    for await change in changes where change == .decorations { break }
    await fixture.scripts.end()
  }

  @Test func `the rights are asked for once, and then it is asked`() async throws {
    let fixture = try await fixture(enabling: [.decorations])
    defer { fixture.remove() }
    let changes = fixture.scripts.changes()
    #expect(await fixture.scripts.decorations(of: request()) == [:])
    #expect(await fixture.scripts.decorations(of: request()) == [:])
    var open = await fixture.scripts.questions.open()
    if open.isEmpty {
      for await change in changes where change == .questions {
        open = await fixture.scripts.questions.open()
        if !open.isEmpty { break }
      }
    }
    #expect(open.map(\.permission.right) == [.bridge(.readMessages)])
    try await fixture.scripts.questions.answer(
      try #require(open.first).id, .session(ScriptGrant(.bridge(.readMessages))))
    for await change in changes where change == .decorations { break }
    #expect(await fixture.scripts.decorations(of: request()).count == 1)
    await fixture.scripts.end()
  }

  @Test func `another run of the script is asked again`() async throws {
    let fixture = try await fixture()
    defer { fixture.remove() }
    _ = await fixture.scripts.decorations(of: request())
    try await fixture.scripts.restart("greeter")
    #expect(await fixture.scripts.decorations(of: request()).count == 1)
    #expect(fixture.events.log.value.count { $0 == "decorate 1" } == 2)
    await fixture.scripts.end()
  }

  @Test func `a script that is disabled decorates nothing`() async throws {
    let fixture = try await fixture()
    defer { fixture.remove() }
    #expect(await fixture.scripts.decorations(of: request()).count == 1)
    try await fixture.scripts.setEnabled(false, "greeter")
    #expect(await fixture.scripts.decorations(of: request()) == [:])
    await fixture.scripts.end()
  }

  @Test func `what is dropped is counted, and decorations go with a script that failed`()
    async throws
  {
    let fixture = try await fixture()
    defer { fixture.remove() }
    _ = await fixture.scripts.decorations(of: request())
    let host = try #require(fixture.events.hosts.value.first)
    await host.services.report(.dropped(2))
    await host.services.report(.dropped(3))
    #expect(await fixture.scripts.scripts()?.first?.dropped == 3)
    await host.services.report(.state(.failed(StatusNotice(.error, "none"))))
    _ = await fixture.scripts.decorations(of: request())
    #expect(fixture.events.log.value.count { $0 == "decorate 1" } == 2)
    await fixture.scripts.end()
  }
}

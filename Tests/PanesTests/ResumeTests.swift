import ChatsFixtures
import Foundation
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

/// A shell that replaces another one, as for another language: everything is at its position.
@Suite struct ResumeTests {
  private static let factories: [any SubAppFactory] = [
    MeFactory(pages: [
      .settings("ui", SettingsLog().actions), .settings("notify", SettingsLog().actions),
      .about { AboutViewModel(shell: $0, sources: .forTests) },
    ]),
    ContactsFactory(),
    DiscoverFactory(
      ports: DiscoverPorts(
        rooms: FakeRoomFinder(.wireframe(readAt: .minutes(0))),
        parts: FakeComponentDirectory(.wireframe(readAt: .minutes(0))),
        invitations: FakeComponentDirectory(), feeds: FakeFeedReader(.wireframe(now: .minutes(0))),
        events: FakeEventPlanner(.wireframe(now: .minutes(0))))),
  ]

  private func harness(_ size: Size, ports: FakePorts = .wireframe()) async -> ShellHarness {
    await ShellHarness(size, ports: ports, factories: Self.factories)
  }

  /// Another shell instead of the shown one.
  private func next(_ harness: ShellHarness) async -> ShellHarness {
    await harness.shell.finish()
    let position = harness.shell.detach()
    let next = await ShellHarness(
      harness.screen.size, ports: harness.ports, factories: Self.factories,
      inputs: harness.shell.inputMemory, firstShown: harness.shell.activeConversation,
      before: harness.coordinator.desktop)
    next.shell.resume(at: position)
    await next.settle()
    return next
  }

  @Test func `what happened in a room is still shown, and what happens then comes after it`() async
  {
    let room = JID(local: "new", domain: "rooms.example.org")
    let harness = await harness(
      Size(rows: 24, columns: 100),
      ports: FakePorts(conversations: [Conversation(jid: room, kind: .room)]))
    harness.shell.handle(.roomIncident(RoomIncident(room: room, .created)))
    harness.shell.open(room)
    await harness.settle()
    #expect(harness.picture.contains("The room is new, and you own it."))
    let again = await next(harness)
    #expect(again.picture.contains("The room is new, and you own it."))
    again.shell.handle(.roomIncident(RoomIncident(room: room, .subjectRemoved, ["nick": "bob"])))
    #expect(again.shell.timeline.items.count { $0.kind == .notice } >= 2)
  }

  @Test func `the open sub-app, its selection and what was looked for stay`() async {
    let harness = await harness(Size(rows: 24, columns: 100))
    harness.press(Key(.function(6)), Key(.enter), Key(.down))
    harness.press(Key(.function(4)))
    await harness.settle()
    harness.press(Key(.down), Key(.down))
    harness.press(.character("/"))
    harness.type("swift")
    await harness.settle()
    let discover = harness.picture
    harness.press(Key(.function(3)), Key(.down), Key(.down))
    await harness.settle()
    let contacts = harness.picture
    let again = await next(harness)
    #expect(again.picture == contacts)
    again.press(Key(.function(4)))
    await again.settle()
    #expect(again.picture == discover)
    harness.press(Key(.function(6)))
    again.press(Key(.function(6)))
    #expect(again.picture == harness.picture)
  }

  @Test func `a number leads to the same conversation as before, whatever was read since`() async {
    let ports = FakePorts(
      messages: [message(1, "hi", from: .zhang, in: .zhang, at: 1)],
      conversations: [
        Conversation(jid: .bob), Conversation(jid: .chloe),
        Conversation(jid: .zhang, unread: 3, lastActivity: .minutes(1)),
      ], now: .minutes(2))
    let harness = await harness(Size(rows: 24, columns: 80), ports: ports)
    func opened(_ harness: ShellHarness, _ digit: Character) async -> JID? {
      harness.press(.alt(digit))
      await harness.settle()
      return harness.shell.activeConversation
    }
    #expect(await opened(harness, "1") == .zhang)
    #expect(await opened(harness, "2") == .bob)
    let again = await next(harness)
    #expect(await opened(again, "1") == .zhang)
    #expect(await opened(again, "2") == .bob)
  }

  @Test func `what is typed stays with its cursor, its aim and a paste that waits`() async {
    let harness = await harness(Size(rows: 24, columns: 80))
    harness.shell.timeline.select(.init(3))
    harness.shell.beginEdit()
    harness.press(Key(.left), Key(.left))
    harness.type("X")
    let (text, cursor) = (harness.shell.input.text, harness.shell.input.cursor)
    let again = await next(harness)
    #expect(again.shell.input.text == text && again.shell.input.cursor == cursor)
    #expect(again.shell.input.aim == harness.shell.input.aim && again.shell.input.aim != nil)
    again.press(.escape)
    again.coordinator.handle(.paste(String(repeating: "line\n", count: 30)))
    let third = await next(again)
    #expect(third.shell.input.pasteQuestion != nil)
    third.press(.enter)
    #expect(third.shell.input.text.hasPrefix("line\nline"))
  }

  @Test func `what is typed where no conversation is open stays`() async {
    let harness = await harness(
      Size(rows: 24, columns: 80),
      ports: FakePorts(messages: [], conversations: [], now: .minutes(3)))
    harness.type("/jo")
    let again = await next(harness)
    #expect(again.shell.input.text == "/jo")
  }

  @Test func `the messages stay where they were scrolled to, with the one that was chosen`()
    async throws
  {
    let ports = FakePorts(
      messages: (1...150).map { message(Int64($0), "word \($0)", at: Double($0)) },
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(150))],
      contacts: [Contact(jid: .bob, name: "Bob Martin")], now: .minutes(151))
    let harness = await harness(Size(rows: 24, columns: 80), ports: ports)
    for _ in 0..<3 {
      harness.press(Key(.pageUp))
      await harness.settle()
    }
    let id = try #require(harness.shell.timeline.recentMessages.first { $0.body == "word 100" }).id
    harness.shell.timeline.select(id)
    await harness.settle()
    let anchor = try #require(harness.shell.timeline.anchor)
    let again = await next(harness)
    #expect(again.shell.timeline.anchor == anchor)
    #expect(again.shell.timeline.selectedMessage?.id == id)
    // Which of them has its time depends on what is loaded above.
    func words(_ harness: ShellHarness) -> [Substring?] {
      harness.rows[3...16].map { $0.split(separator: " ").last }
    }
    #expect(words(again) == words(harness))
  }
}

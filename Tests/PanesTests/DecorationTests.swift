import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// Messages that scripts have marked, on the screen.
@Suite struct DecorationTests {
  private let scripts = FakeScripts([.tickets()])

  private func harness(
    _ messages: Message..., columns: Int = 60, glyphs: Glyphs = .ascii
  ) async -> ShellHarness {
    let ports = FakePorts(
      messages: messages, conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
    let harness = await ShellHarness(
      Size(rows: 14, columns: columns), ports: ports, glyphs: glyphs, showsSidebar: false,
      scripts: scripts)
    harness.shell.open(.bob)
    await harness.settle()
    await harness.settle()
    return harness
  }

  /// The texts that have a role, with a line between rows.
  private func texts(in role: StyleRole, _ harness: ShellHarness) -> [String] {
    let shown = harness.screen.shown
    return (0..<shown.size.rows).map { row in
      zip(0..., shown.roles(row: row)).filter { $0.1 == role }
        .map { String(shown[row, $0.0].glyph) }.joined()
    }.filter { !$0.isEmpty }
  }

  @Test func `parts have the roles of their marks, and the note is a dim line below`() async {
    await scripts.mark(
      "see #12, #13 and #14",
      MessageDecoration(
        spans: [.init(4..<7, .good), .init(9..<12, .warning), .init(17..<20, .bad)],
        notes: ["two are open"]))
    let harness = await harness(message(1, "see #12, #13 and #14"), message(2, "next", at: 1))
    #expect(texts(in: .statusOK, harness).contains("#12"), "\(harness.picture)")
    #expect(texts(in: .statusWarning, harness).contains("#13"))
    #expect(texts(in: .statusError, harness).contains("#14"))
    let first = harness.rows.firstIndex { $0.contains("see #12") } ?? 0
    #expect(harness.rows[first + 1].contains("two are open"), "\(harness.picture)")
    #expect(harness.rows[first + 2].contains("next"))
    let role = harness.screen.shown.roles(row: first + 1)[
      harness.rows[first + 1].distance(
        from: harness.rows[first + 1].startIndex,
        to: harness.rows[first + 1].firstIndex(of: "t") ?? harness.rows[first + 1].startIndex)]
    #expect(role == .dim)
  }

  @Test func `marks that follow each other are links of their own`() async throws {
    await scripts.mark(
      "#1#2 x",
      MessageDecoration(spans: [
        .init(0..<2, .good, link: "https://t.example/1"),
        .init(2..<4, .good, link: "https://t.example/2"), .init(5..<6, .bad),
      ]))
    let harness = await harness(message(1, "#1#2 x"))
    let item = try #require(harness.shell.timeline.items.first { $0.kind == .message })
    #expect(item.links == ["https://t.example/1", "https://t.example/2"])
    #expect(texts(in: .statusOK.adding(.underline), harness) == ["#1#2"], "\(harness.picture)")
    let row = try #require(harness.rows.firstIndex { $0.contains("#1#2") })
    let line = harness.rows[row]
    let column = line.distance(
      from: line.startIndex, to: try #require(line.firstIndex(of: "#")))
    for at in [column + 1, column + 2] {
      for action in [MouseEvent.Action.press, .release] {
        harness.coordinator.handle(
          .mouse(MouseEvent(action, button: 1, at: Point(row: row, column: at))))
      }
    }
    #expect(harness.done == ["link https://t.example/1", "link https://t.example/2"])
    // The terminal does not open them by itself: it would not show where they lead.
    #expect(harness.screen.shown.links == [])
  }

  @Test func `a mark that wraps is one link, and the next one another`() async throws {
    let body = "before the long words of one mark and its end #2"
    await scripts.mark(
      body,
      MessageDecoration(spans: [
        .init(7..<45, .plain, link: "https://t.example/1"),
        .init(46..<48, .plain, link: "https://t.example/2"),
      ]))
    let harness = await harness(message(1, body), columns: 42)
    let row = try #require(harness.rows.lastIndex { $0.contains("#2") })
    #expect(!harness.rows[row].contains("before"), "\(harness.picture)")
    let line = harness.rows[row]
    for mark in ["d", "#"] {
      let found = try #require(line.lastIndex(of: Character(mark)))
      let column = line.distance(from: line.startIndex, to: found)
      for action in [MouseEvent.Action.press, .release] {
        harness.coordinator.handle(
          .mouse(MouseEvent(action, button: 1, at: Point(row: row, column: column))))
      }
    }
    #expect(harness.done == ["link https://t.example/1", "link https://t.example/2"])
  }

  @Test func `links of marks are in the list of links, and open from the message`() async {
    await scripts.mark(
      "see #12", MessageDecoration(spans: [.init(4..<7, .good, link: "https://t.example/12")]))
    let harness = await harness(message(1, "see #12"))
    harness.press(Key(.tab, .shift), .enter)
    #expect(harness.done == ["link https://t.example/12"])
  }

  @Test func `a link that has a mark leads where it says`() async throws {
    let body = "see https://e.example/1"
    await scripts.mark(
      body, MessageDecoration(spans: [.init(0..<23, .bad, link: "https://evil.example")]))
    let harness = await harness(message(1, body))
    let item = try #require(harness.shell.timeline.items.first { $0.kind == .message })
    #expect(item.links == ["https://evil.example", "https://e.example/1"])
    #expect(texts(in: .link, harness) == ["https://e.example/1"])
    #expect(harness.screen.shown.links.map(\.link.address) == ["https://e.example/1"])
  }

  @Test func `a screen reader reads the note in brackets`() async {
    await scripts.mark("see #12", MessageDecoration(notes: ["bob: yes"]))
    let harness = await harness(message(1, "see #12"), glyphs: .linear)
    #expect(harness.rows.contains { $0.contains("(bob: yes)") }, "\(harness.picture)")
  }

  @Test func `a match of a search is marked in a mark`() async {
    await scripts.mark(
      "see ticket", MessageDecoration(spans: [.init(4..<10, .good)]))
    let harness = await harness(message(1, "see ticket"))
    harness.press(.control("f"))
    harness.type("tick")
    await harness.settle()
    #expect(texts(in: .searchMatch, harness).contains("tick"), "\(harness.picture)")
    #expect(texts(in: .statusOK, harness).contains { $0.hasPrefix("et") })
  }
}

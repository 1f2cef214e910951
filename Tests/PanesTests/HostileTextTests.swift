import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

@Suite struct HostileTextTests {
  nonisolated static let nasty = [
    "\u{1B}]0;owned\u{7}", "\u{9B}31mred", "abc\u{202E}gnp.exe", "\u{2066}x\u{200F}y\u{61C}z",
    "a\rb\u{8}c", "👨‍👩‍👧 ❤️ 👍🏽 🇫🇷", "Z\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}",
    "日本語のとても長い名前がここにあります", "\u{0}\u{1}\u{7F}", "\tx", "\n\n",
  ]

  @Test(arguments: nasty)
  func `names and messages move no border and reach the screen harmlessly`(_ text: String) async {
    let problem = ConnectionProblem(.refused, host: text, detail: text)
    let ports = FakePorts(
      messages: [
        message(1, text), message(2, text, from: .alice, delivery: .failed(reason: text)),
        message(3, "/me " + text),
      ],
      conversations: [
        Conversation(jid: .bob, name: text, unread: 3, lastActivity: .afternoon, draft: text),
        Conversation(jid: JID(local: text, domain: text)),
      ],
      contacts: [Contact(jid: .chloe, name: text)],
      presence: [ContactPresence(jid: .bob, availability: .online, status: text)],
      requests: [JID(local: text, domain: "x")])
    for (rows, columns) in [(24, 80), (15, 40), (40, 120)] {
      let harness = await ShellHarness(Size(rows: rows, columns: columns), ports: ports)
      if columns < 60 { harness.press(.enter) }
      harness.handle(.connectionChanged(.waiting(until: .minutes(9), reason: problem)))
      harness.handle(.notice(StatusNotice(.error, "error.badAddress", ["text": text])))
      harness.coordinator.handle(.paste(text))
      await harness.settle()
      let border = columns < 60 ? nil : columns < 100 ? 21 : 27
      for row in 0..<rows {
        let cells = (0..<columns).map { harness.screen.shown[row, $0] }
        if let border, row > 0, row < rows - 1 { #expect(cells[border].glyph == "|") }
        for cell in cells where !cell.isContinuation {
          for scalar in cell.glyph.unicodeScalars {
            #expect(scalar.properties.generalCategory != .control)
            #expect(scalar.properties.generalCategory != .format)
          }
        }
      }
      let title = harness.screen.title ?? ""
      #expect(
        !title.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
    }
  }

  @Test func `a name with line ends in it reads the same wherever it is within a line`()
    async
    throws
  {
    let name = "Ann\nBob\r\n\tC\u{85}D\u{2028}E"
    let room = JID(local: "den", domain: "rooms.example.org")
    let ports = FakePorts(
      messages: [
        message(1, "hi", at: 0), message(2, "well", in: room, at: 1),
      ],
      conversations: [
        Conversation(jid: .bob, lastActivity: .minutes(0)),
        Conversation(jid: room, kind: .room, name: name + " den", lastActivity: .minutes(1)),
      ],
      contacts: [
        Contact(jid: .bob, name: name, subscription: .both, groups: [name + " group"]),
        Contact(jid: .chloe, name: name + " too"),
      ],
      presence: [ContactPresence(jid: .bob, availability: .online, status: name + " says")])
    let harness = await ShellHarness(
      Size(rows: 30, columns: 140), ports: ports, factories: [ContactsFactory()])
    func expectOneLine(_ words: String, _ picture: String? = nil) {
      let picture = picture ?? harness.picture
      #expect(picture.contains(words), "\(picture)")
      for mark in ["⏎", "^J", "^M", "\\n"] {
        #expect(!picture.replacing("^J New line", with: "").contains(mark), "\(picture)")
      }
    }
    harness.shell.open(.bob)
    await harness.settle()
    // The list, the header and the messages.
    expectOneLine("Ann Bob C D E ")
    expectOneLine("Ann Bob C D E den")
    expectOneLine("\"Ann Bob C D E says\"")
    expectOneLine("Ann Bob C D E", harness.screen.title ?? "")
    // A sentence, a notice and a refusal.
    harness.handle(.typingChanged(conversation: .bob, isTyping: true))
    expectOneLine("Ann Bob C D E is typing")
    harness.handle(.notice(StatusNotice(.error, "error.room.unknown", ["name": name])))
    expectOneLine("Ann Bob C D E")
    harness.press(.escape)
    harness.shell.close(.bob)
    expectOneLine("Ann Bob C D E")
    // The finder, and the contacts with their groups.
    harness.press(.control("o"))
    harness.type("@ann")
    expectOneLine("Ann Bob C D E too")
    harness.press(.escape, Key(.function(3)))
    await harness.settle()
    expectOneLine("ANN BOB C D E GROUP")
    expectOneLine("Ann Bob C D E too")
  }
}

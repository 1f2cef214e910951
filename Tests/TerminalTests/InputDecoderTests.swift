import Foundation
import Testing

@testable import Terminal

@Suite struct InputDecoderTests {
  let start = ContinuousClock.now

  /// Returns the events of one read of `text` once all pending ones are delivered.
  func events(_ text: String) -> [InputEvent] {
    events(bytes: Array(text.utf8))
  }

  func events(bytes: [UInt8]) -> [InputEvent] {
    var decoder = InputDecoder()
    var events = decoder.feed(bytes, at: start)
    while let deadline = decoder.pendingDeadline { events += decoder.expire(at: deadline) }
    return events
  }

  func key(_ spelling: String) -> InputEvent {
    .key(Key(spelling: spelling) ?? .character("?"))
  }

  @Test(arguments: [
    "\u{1B}[?62;4c", "\u{1B}[3;1R", "\u{1B}[I", "\u{1B}[<0;1;1M", "\u{1B}[200~text\u{1B}[201~",
    "\u{1B}]11;rgb:0000/0000/0000\u{7}",
  ])
  func `Escape just before what the terminal sends by itself is Escape`(sent: String) {
    #expect(events("\u{1B}" + sent) == [.key(.escape)] + events(sent))
  }

  @Test(arguments: [
    ("\u{1B}[A", "Up"), ("\u{1B}OA", "Up"), ("\u{1B}[1;5A", "Ctrl+Up"), ("\u{1B}[1;3A", "Alt+Up"),
    ("\u{1B}[1;2A", "Shift+Up"), ("\u{1B}[1;8D", "Ctrl+Alt+Shift+Left"),
    ("\u{1B}\u{1B}[A", "Alt+Up"),
    ("\u{1B}\u{1B}OB", "Alt+Down"), ("\u{1B}Oa", "Ctrl+Up"), ("\u{1B}[a", "Shift+Up"),
    ("\u{1B}[H", "Home"), ("\u{1B}OF", "End"), ("\u{1B}[1~", "Home"), ("\u{1B}[7~", "Home"),
    ("\u{1B}[4~", "End"), ("\u{1B}[8~", "End"), ("\u{1B}[5;5~", "Ctrl+PgUp"), ("\u{1B}[6~", "PgDn"),
    ("\u{1B}[2~", "Ins"), ("\u{1B}[3~", "Del"), ("\u{1B}[3;3~", "Alt+Del"),
    ("\u{1B}[3^", "Ctrl+Del"),
    ("\u{1B}[3$", "Shift+Del"), ("\u{1B}[5@", "Ctrl+Shift+PgUp"), ("\u{1B}[Z", "Shift+Tab"),
    ("\u{1B}\t", "Shift+Tab"), ("\u{1B}[[A", "F1"), ("\u{1B}[[E", "F5"), ("\u{1B}OP", "F1"),
    ("\u{1B}[11~", "F1"), ("\u{1B}[15~", "F5"), ("\u{1B}[17~", "F6"), ("\u{1B}[21~", "F10"),
    ("\u{1B}[23~", "F11"), ("\u{1B}[24~", "F12"), ("\u{1B}[1;2P", "Shift+F1"),
    ("\u{1B}[34~", "F20"),
    ("\u{1B}O5C", "Ctrl+Right"), ("\u{1B}O1;3D", "Alt+Left"), ("\u{1B}OM", "Enter"),
    ("\u{1B}Ok", "+"),
    ("\u{1B}a", "Alt+A"), ("\u{1B}A", "Alt+Shift+A"), ("\u{1B}1", "Alt+1"),
    ("\u{1B}\r", "Alt+Enter"),
    ("\u{1B}\u{7F}", "Alt+Backspace"), ("\u{1B}_", "Alt+_"), ("\u{1B}]", "Alt+]"),
    ("\u{1B}[", "Alt+["),
    ("\u{1B}O", "Alt+Shift+O"), ("\u{1B}P", "Alt+Shift+P"), ("\u{1B}\u{1}", "Ctrl+Alt+A"),
    ("\u{1B}", "Esc"), ("\u{8}", "Backspace"), ("\u{7F}", "Backspace"), ("\t", "Tab"),
    ("\r", "Enter"),
    ("\n", "^J"), ("\0", "Ctrl+Space"), ("\u{1F}", "^_"), ("\u{1C}", "^\\"), ("\u{1}", "^A"),
    ("\u{1B}[13;5u", "Ctrl+Enter"), ("\u{1B}[13;2u", "Shift+Enter"), ("\u{1B}[49;3u", "Alt+1"),
    ("\u{1B}[27u", "Esc"), ("\u{1B}[97;5u", "^A"), ("\u{1B}[97:65;2u", "A"),
    ("\u{1B}[27;3;49~", "Alt+1"),
    ("\u{1B}[27;5;13~", "Ctrl+Enter"), ("é", "é"), ("漢", "漢"), ("\u{1B}é", "Alt+É"),
  ]) func `one key`(bytes: String, spelling: String) throws {
    let expected = try #require(KeySequence(spelling)).keys
    let got = events(bytes)
    // Alt with a letter that has no capital on any keyboard comes as it is.
    if spelling == "Alt+É" {
      #expect(got == [.key(.alt("é"))])
    } else {
      #expect(got == expected.map { .key($0) })
    }
  }

  @Test(arguments: [
    "\u{1B}[?1;2c", "\u{1B}[?2026;2$y", "\u{1B}[24;80R", "\u{1B}[99~", "\u{1B}[1;5X",
    "\u{1B}]11;rgb:0000/0000/0000\u{1B}\\", "\u{1B}]11;rgb:1/2/3\u{7}", "\u{1B}P1$r0m\u{1B}\\",
    "\u{1B}P>|XTerm(379)\u{1B}\\", "\u{1B}_Gi=31;OK\u{1B}\\", "\u{1B}[97;1:3u", "\u{1B}[57427u",
    "\u{1B}[97;9u", "\u{1B}[57358u",
    "\u{1B}[>1u", "\u{1B}[<0;1M", "\u{1B}[201~", "\u{1B}[1;", "\u{1B}[<0;", "\u{1B}[!p", "\u{1B}Oz",
  ]) func `answers and unknown sequences are swallowed whole`(bytes: String) {
    #expect(events(bytes) == [])
    #expect(events("x" + bytes).first == key("x"))
  }

  /// Keys that kitty's protocol distinguishes and bindings do not: each is the key of the old
  /// bytes.
  @Test(arguments: [
    ("47;5", "\u{1F}"), ("45:95;6", "\u{1F}"), ("55;5", "\u{1F}"), ("50:64;6", "\0"),
    ("32;5", "\0"),
    ("91;5", "\u{1B}"), ("105;5", "\t"), ("109;5", "\r"), ("106;5", "\n"), ("104;5", "\u{8}"),
    ("63;5", "\u{7F}"), ("97;5", "\u{1}"), ("97:65;6", "\u{1}"), ("97;133", "\u{1}"),
    ("27;2", "\u{1B}"),
    ("127;2", "\u{7F}"), ("127;3", "\u{1B}\u{7F}"), ("97;3", "\u{1B}a"), ("97:65;4", "\u{1B}A"),
    ("45:95;4", "\u{1B}_"), ("47:63;4", "\u{1B}?"), ("97;7", "\u{1B}\u{1}"), ("57399", "0"),
    ("57410", "/"),
    ("57419", "\u{1B}[A"), ("57414", "\r"), ("233;3", "\u{1B}é"),
    // Keys of other scripts work as the Latin ones at their position, except for typed text.
    ("1089::99;5", "\u{3}"), ("1077::116;3", "\u{1B}t"), ("1081::113;69", "\u{11}"),
    ("1089:1057:99;6", "\u{3}"), ("1077:1045:116;4", "\u{1B}T"), ("1089::99", "с"),
    ("1089:1057:99;2", "С"), ("113::97;5", "\u{11}"), ("1089;5", "\u{1B}[1089;5u"),
  ])
  func `kitty's keys are those of the old bytes`(code: String, old: String) {
    #expect(events("\u{1B}[\(code)u") == events(old))
  }

  @Test func `what the terminal says of its modes is reported, and is no key`() {
    func reported(_ bytes: String) -> [TerminalReport] {
      var decoder = InputDecoder()
      #expect(decoder.feed(Array(bytes.utf8), at: start) == [])
      return decoder.takeReports()
    }
    #expect(reported("\u{1B}[?0u") == [.distinguishesKeys])
    #expect(reported("\u{1B}[?2026;2$y\u{1B}[?5u") == [.showsFramesWhole, .distinguishesKeys])
    #expect(reported("\u{1B}[?2031;2$y") == [.followsColours])
    #expect(reported("\u{1B}[?2031;0$y\u{1B}[?2031;4$y\u{1B}[?997;3n\u{1B}[?997n") == [])
    #expect(reported("\u{1B}[?997;1n\u{1B}[?997;2n") == [.colours(.dark), .colours(.light)])
    for state in ["2026;0", "2026;4", "1004;1", "2026"] {
      #expect(reported("\u{1B}[?\(state)$y") == [])
    }
  }

  @Test func `a sequence may arrive byte by byte`() {
    for (bytes, expected) in [
      ("\u{1B}[1;5A", "Ctrl+Up"), ("\u{1B}OP", "F1"), ("漢", "漢"), ("\u{1B}[27;3;49~", "Alt+1"),
      ("👍", "👍"),
    ] {
      var decoder = InputDecoder()
      var got: [InputEvent] = []
      for byte in bytes.utf8 { got += decoder.feed([byte], at: start) }
      #expect(got == [key(expected)], "\(expected)")
      #expect(decoder.pendingDeadline == nil)
    }
  }

  @Test func `a lone ESC is delivered after the delay and not before`() {
    var decoder = InputDecoder(escapeDelay: .milliseconds(25))
    #expect(decoder.feed([0x1B], at: start) == [])
    #expect(decoder.pendingDeadline == start + .milliseconds(25))
    #expect(decoder.expire(at: start + .milliseconds(24)) == [])
    #expect(decoder.expire(at: start + .milliseconds(25)) == [key("Esc")])
    #expect(decoder.pendingDeadline == nil)
    #expect(decoder.expire(at: start + .seconds(9)) == [])
  }

  @Test(arguments: [
    "\u{1B}[200~one\rtwo\u{1B}[201~", "\u{1B}[?62;4;22c", "\u{1B}]11;rgb:0000/0000/0000\u{1B}\\",
    "\u{1B}_Gi=31;OK\u{1B}\\", "\u{1B}[2;5R", "\u{1B}[0n", "\u{1B}P>|XTerm(379)\u{1B}\\",
  ])
  func `the rest of a paste or an answer is no text, however late it comes`(bytes: String) throws {
    for cut in 1...2 {
      var decoder = InputDecoder()
      #expect(decoder.feed(Array(bytes.utf8.prefix(cut)), at: start) == [])
      let deadline = try #require(decoder.pendingDeadline)
      #expect(decoder.expire(at: deadline).count == 1)
      let later = deadline + .milliseconds(300)
      let rest = decoder.feed(Array(bytes.utf8.dropFirst(cut)), at: later)
      #expect(rest == (bytes.contains("one") ? [.paste("one\ntwo")] : []))
      #expect(decoder.pendingDeadline == nil)
      #expect(decoder.feed(Array("x".utf8), at: later) == [key("x")])
    }
  }

  @Test(arguments: ["[1] see", "[x] y", "]", "[[", "P>", "[2;5", "OK"])
  func `what is typed behind Escape is text`(text: String) throws {
    var decoder = InputDecoder()
    #expect(decoder.feed([0x1B], at: start) == [])
    let deadline = try #require(decoder.pendingDeadline)
    #expect(decoder.expire(at: deadline) == [key("Esc")])
    #expect(
      decoder.feed(Array(text.utf8), at: deadline + .milliseconds(300))
        == text.map { .key(.character($0)) })
  }

  @Test func `Esc and a key at once are two keys unless they are one chord`() {
    #expect(events("\u{1B}\u{1B}") == [key("Esc"), key("Esc")])
    #expect(events("\u{1B}\u{1B}1") == [key("Esc"), key("Alt+1")])
    #expect(events("\u{1B}[A\u{1B}[Bx") == [key("Up"), key("Down"), key("x")])
    #expect(events("\u{1B}[1\u{1B}[B") == [key("Down")])
    #expect(events("\u{1B}[1\r") == [key("Enter")])
  }

  @Test func `clusters that arrive together are one character`() {
    #expect(events("e\u{301}x") == [key("e\u{301}"), key("x")])
    #expect(events("👨‍👩‍👧") == [key("👨‍👩‍👧")])
    #expect(events("🇫🇷🇩🇪") == [key("🇫🇷"), key("🇩🇪")])
  }

  @Test func `bytes that are no text are passed over`() {
    #expect(events(bytes: [0xE1, 0x61]) == [key("a")])
    #expect(events(bytes: [0xFF, 0xC0, 0x80, 0x62]) == [key("b")])
    #expect(events(bytes: [0xED, 0xA0, 0x80, 0x63]) == [key("c")])
    #expect(events(bytes: [0xF0, 0x9F]) == [])
    #expect(events("\u{81}x") == [key("x")])
  }

  @Test func `mouse reports`() {
    func mouse(
      _ action: MouseEvent.Action, _ button: Int, _ row: Int, _ column: Int,
      _ held: Key.Modifiers = []
    )
      -> [InputEvent]
    {
      [
        .mouse(
          MouseEvent(action, button: button, at: Point(row: row, column: column), modifiers: held))
      ]
    }
    #expect(events("\u{1B}[<0;10;5M") == mouse(.press, 1, 4, 9))
    #expect(events("\u{1B}[<0;10;5m") == mouse(.release, 1, 4, 9))
    #expect(events("\u{1B}[<2;300;200M") == mouse(.press, 3, 199, 299))
    #expect(events("\u{1B}[<32;1;1M") == mouse(.drag, 1, 0, 0))
    #expect(events("\u{1B}[<64;1;1M") == mouse(.wheelUp, 0, 0, 0))
    #expect(events("\u{1B}[<81;2;1M") == mouse(.wheelDown, 0, 0, 1, .control))
    #expect(events("\u{1B}[<35;1;1M") == [])
    #expect(events("\u{1B}[M !!") == mouse(.press, 1, 0, 0))
    #expect(events("\u{1B}[M#!!") == mouse(.release, 1, 0, 0))
  }

  @Test func `focus and the end`() {
    #expect(events("\u{1B}[I\u{1B}[O") == [.focus(true), .focus(false)])
    var decoder = InputDecoder()
    _ = decoder.feed([0x1B], at: start)
    #expect(decoder.end() == [key("Esc"), .hangup])
    #expect(decoder.pendingDeadline == nil)
  }

  @Test func `rubbish never crashes and never sticks`() {
    var random = SystemRandomNumberGenerator()
    let likely: [UInt8] = [
      0x1B, 0x1B, 0x5B, 0x4F, 0x3B, 0x31, 0x3C, 0x4D, 0x7E, 0x5D, 0x50, 0x0D, 0xE6, 0x9F,
    ]
    for _ in 0..<300 {
      var decoder = InputDecoder()
      for _ in 0..<10 {
        let bytes = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
          Bool.random(using: &random)
            ? likely.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
        }
        _ = decoder.feed(bytes, at: start)
      }
      for _ in 0..<20 {
        guard let deadline = decoder.pendingDeadline else { break }
        _ = decoder.expire(at: deadline)
      }
      #expect(decoder.pendingDeadline == nil)
    }
  }
}

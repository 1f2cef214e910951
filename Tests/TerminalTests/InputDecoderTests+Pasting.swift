import Foundation
import Testing

@testable import Terminal

/// Pasted text, with and without brackets, and sequences without an end.
extension InputDecoderTests {
  @Test func `what is pasted or typed has clusters that end`() throws {
    let marks = "a" + String(repeating: "\u{301}\u{316}", count: 1000)
    guard case .paste(let text) = try #require(events("\u{1B}[200~\(marks)\u{1B}[201~").first)
    else {
      Issue.record("no paste")
      return
    }
    #expect(text.allSatisfy { $0.unicodeScalars.count <= 31 })
    #expect(events(marks).count > 60)
  }

  @Test func `a bracketed paste is one event, escapes, line ends and all`() {
    #expect(
      events("a\u{1B}[200~x\r\ny\rz\u{1B}[31m\u{1B}[A\t\u{1B}[201~")
        == [key("a"), .paste("x\ny\nz\u{1B}[31m\u{1B}[A\t")])
    #expect(events("\u{1B}[200~\u{1B}[201~") == [.paste("")])
    #expect(
      events("\u{1B}[200~1\u{1B}[201~\u{1B}[200~2\u{1B}[201~") == [.paste("1"), .paste("2")])
  }

  @Test func `what follows a paste in the same read is text and no key`() {
    // What was copied has the end in it, and a line to be sent.
    let end = "\u{1B}[201~"
    #expect(
      events("\u{1B}[200~harmless\(end)/quit\rmore\r\(end)") == [.paste("harmless/quit\nmore\n")])
    #expect(
      events("\u{1B}[200~a\(end)\u{11}\u{1B}[A\u{1B}q\u{1B}[<0;1;1Mb\(end)")
        == [.paste("a\u{11}b")])
    // A key that came with it on a slow line sends nothing by itself; what comes after is typed.
    var decoder = InputDecoder()
    #expect(decoder.feed(Array("\u{1B}[200~a\(end)\r".utf8), at: start) == [.paste("a\n")])
    #expect(decoder.feed(Array("\r".utf8), at: start) == [key("Enter")])
    #expect(decoder.feed(Array("\u{1B}[A".utf8), at: start) == [key("Up")])
    #expect(
      decoder.feed(Array("\u{1B}[200~a\(end)\u{1B}[I".utf8), at: start)
        == [.paste("a"), .focus(true)])
  }

  @Test(arguments: [1, 2, 3, 7, 100]) func `a paste may be cut anywhere`(size: Int) {
    let text = String(repeating: "漢字 and text\n", count: 50)
    let bytes = Array("\u{1B}[200~\(text)\u{1B}[201~".utf8)
    var decoder = InputDecoder()
    var got: [InputEvent] = []
    var offset = 0
    while offset < bytes.count {
      got += decoder.feed(Array(bytes[offset..<min(bytes.count, offset + size)]), at: start)
      offset += size
    }
    got += decoder.feed(Array("q".utf8), at: start)
    #expect(got == [.paste(text), key("q")])
  }

  @Test func `a megabyte of paste is one event`() {
    let text = String(repeating: "x", count: 1 << 20)
    var decoder = InputDecoder()
    var got = decoder.feed(Array("\u{1B}[200~".utf8), at: start)
    for _ in 0..<256 { got += decoder.feed([UInt8](repeating: 0x78, count: 4096), at: start) }
    got += decoder.feed(Array("\u{1B}[201~".utf8), at: start)
    #expect(got == [.paste(text)])
  }

  @Test func `a paste whose end got lost is delivered after a while`() {
    var decoder = InputDecoder()
    #expect(decoder.feed(Array("\u{1B}[200~abc".utf8), at: start) == [])
    let deadline = decoder.pendingDeadline ?? start
    #expect(decoder.expire(at: deadline) == [.paste("abc")])
    #expect(decoder.feed(Array("x".utf8), at: deadline) == [key("x")])
  }

  /// Feeds `key` every `pace` behind `beginning`, as a person does who wants out.
  /// - Returns: the events, and how many times it was pressed before the first.
  private func pressing(_ key: String, behind beginning: String, pace: Duration) -> (
    [InputEvent], count: Int
  ) {
    var decoder = InputDecoder()
    var now = start
    var got = decoder.feed(Array(beginning.utf8), at: now)
    var count = 0
    while got.isEmpty, count < 1000 {
      count += 1
      now += pace
      if let deadline = decoder.pendingDeadline, deadline <= now {
        got += decoder.expire(at: deadline)
      }
      got += decoder.feed(Array(key.utf8), at: now)
    }
    while let deadline = decoder.pendingDeadline { got += decoder.expire(at: deadline) }
    return (got, count)
  }

  @Test(arguments: ["\u{1B}", "\u{3}", "\u{1B}[A"], [40, 200, 400])
  func `keys do not keep a paste without an end waiting for ever, and its text stays`(
    pressed: String, pace: Int
  ) {
    let (got, count) = pressing(
      pressed, behind: "\u{1B}[200~one\rtwo", pace: .milliseconds(pace))
    #expect(count < 1000)
    guard case .paste(let text)? = got.first else {
      Issue.record("no paste: \(got)")
      return
    }
    #expect(text.hasPrefix("one\ntwo"))
    // The last press is a key again.
    #expect(got.count > 1, "\(got)")
  }

  @Test(arguments: ["\u{1B}P1", "\u{1B}]11;", "\u{1B}_Ga"], ["x", "\u{1B}", "\u{3}", "1"])
  func `keys do not keep a string without an end waiting either`(string: String, pressed: String) {
    let (got, count) = pressing(pressed, behind: string, pace: .milliseconds(100))
    #expect(count < 20 && !got.isEmpty, "\(got)")
  }

  @Test func `Ctrl+C ends a string at once`() {
    #expect(events("\u{1B}P1$r\u{3}") == [key("^C")])
    #expect(events("\u{1B}]11;rgb:\u{3}a") == [key("^C"), key("a")])
  }

  @Test func `a slow line's paste is whole, and one without bounds comes in parts`() {
    var decoder = InputDecoder()
    var now = start
    var got = decoder.feed(Array("\u{1B}[200~".utf8), at: now)
    for _ in 0..<2000 {
      now += .milliseconds(8)
      #expect(decoder.pendingDeadline.map { $0 > now } == true)
      got += decoder.feed(Array("12345678".utf8), at: now)
    }
    got += decoder.feed(Array("\u{1B}[201~".utf8), at: now)
    #expect(got == [.paste(String(repeating: "12345678", count: 2000))])
    var endless = InputDecoder()
    let part = Array(String(repeating: "漢", count: 20_000).utf8)
    var text = ""
    for event in endless.feed(Array("\u{1B}[200~".utf8), at: start)
      + (0..<80).flatMap({ _ in endless.feed(part, at: start) })
      + endless.feed(Array("\u{1B}[201~q".utf8), at: start)
    {
      if case .paste(let more) = event { text += more } else { Issue.record("\(event)") }
    }
    // The text behind the end in the same read belongs to the paste, too.
    #expect(text == String(repeating: "漢", count: 1_600_000) + "q")
  }

  @Test func `line ends inside one read make it a paste`() {
    #expect(events("a\rb\rc") == [.paste("a\nb\nc")])
    #expect(events("a\r\nb\r") == [.paste("a\nb\n")])
    #expect(events("hi\r") == [key("h"), key("i"), key("Enter")])
    #expect(events("\r") == [key("Enter")])
    #expect(events("\r\r") == [key("Enter"), key("Enter")])
    #expect(events("\rab") == [key("Enter"), key("a"), key("b")])
    #expect(events("a\u{1B}[A\rb") == [key("a"), key("Up"), key("Enter"), key("b")])
  }

  @Test func `the next reads of a paste without brackets belong to it`() {
    var decoder = InputDecoder()
    #expect(decoder.feed(Array("a\rb".utf8), at: start) == [.paste("a\nb")])
    #expect(decoder.feed(Array("last\r".utf8), at: start + .milliseconds(10)) == [.paste("last\n")])
    #expect(
      decoder.feed(Array("x\r".utf8), at: start + .milliseconds(200)) == [key("x"), key("Enter")])
    let word = Array("a\r漢".utf8)
    #expect(decoder.feed(Array(word.dropLast()), at: start) == [.paste("a\n")])
    #expect(decoder.feed([word[word.count - 1], 0x62], at: start) == [.paste("漢b")])
  }
}

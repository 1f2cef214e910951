import JSONLines
import NatterCore
import Testing
import XMPP

@testable import ScriptService

/// What scripts answer to `decorate`.
@Suite struct DecorationAnswerTests {
  private static let request = DecorationRequest(
    [.init(.init(1), "👨‍👩‍👧é #12 #3"), .init(.init(2), "two")],
    in: JID(local: "tea", domain: "rooms.example.org"), .room,
    of: JID(local: "me", domain: "example.org"))

  private func answer(_ text: String) throws -> DecorationAnswer {
    DecorationAnswer(try JSONValue(parsing: text.utf8), to: Self.request)
  }

  @Test func `spans are counted in characters, and are put in order`() throws {
    let answer = try answer(
      #"[{"id":"1","spans":[{"start":7,"length":2,"role":"bad"},"#
        + #"{"start":3,"length":3,"role":"good","link":"https://t.example/12"}]},"#
        + #"{"id":"2","note":"low"}]"#)
    #expect(answer.complaint == nil)
    #expect(
      answer.decorations == [
        .init(1): MessageDecoration(
          spans: [.init(3..<6, .good, link: "https://t.example/12"), .init(7..<9, .bad)]),
        .init(2): MessageDecoration(notes: ["low"]),
      ])
  }

  @Test(arguments: [
    "null", "[]", #"[{"id":"1"}]"#, #"[{"id":"1","spans":[],"note":""}]"#,
    #"[{"id":"1","spans":null,"note":null,"later":true}]"#,
  ])
  func `an answer may have nothing`(text: String) throws {
    let answer = try answer(text)
    #expect(answer.decorations.isEmpty)
    #expect(answer.dropped == 0)
  }

  @Test(arguments: [
    (#"{}"#, "the answer is no list"), ("5", "the answer is no list"),
    (#"[{"id":"3"}]"#, "an id is none"), (#"[{"id":1}]"#, "an id is none"),
    (#"["x"]"#, "an id is none"), (#"[{"id":"01"}]"#, "an id is none"),
    (#"[{"id":"1","spans":{}}]"#, "message 1: spans is no list"),
    (#"[{"id":"1","spans":[5]}]"#, "no start and length"),
    (#"[{"id":"1","spans":[{"start":0}]}]"#, "no start and length"),
    (#"[{"id":"1","spans":[{"start":0.5,"length":1}]}]"#, "no start and length"),
    (#"[{"id":"1","spans":[{"start":-1,"length":1}]}]"#, "outside"),
    (#"[{"id":"1","spans":[{"start":0,"length":0}]}]"#, "outside"),
    (#"[{"id":"1","spans":[{"start":8,"length":2}]}]"#, "outside"),
    (#"[{"id":"1","spans":[{"start":9,"length":1}]}]"#, "outside"),
    (#"[{"id":"1","spans":[{"start":1,"length":9223372036854775807}]}]"#, "outside"),
    (#"[{"id":"1","spans":[{"start":2,"length":2},{"start":0,"length":3}]}]"#, "overlap"),
    (#"[{"id":"1","spans":[{"start":0,"length":1,"role":"red"}]}]"#, "role"),
    (#"[{"id":"1","spans":[{"start":0,"length":1,"role":5}]}]"#, "role"),
    (#"[{"id":"1","spans":[{"start":0,"length":1,"link":"t.example"}]}]"#, "link"),
    (#"[{"id":"1","spans":[{"start":0,"length":1,"link":"https:"}]}]"#, "link"),
    (#"[{"id":"1","spans":[{"start":0,"length":1,"link":"https://a b"}]}]"#, "link"),
    (#"[{"id":"1","spans":[{"start":0,"length":1,"link":"https://a\u001b"}]}]"#, "link"),
    (#"[{"id":"1","spans":[{"start":0,"length":1,"link":"1a:b"}]}]"#, "link"),
    (#"[{"id":"1","note":["x"]}]"#, "note is no text"),
  ])
  func `a part that is not valid is dropped and counted`(text: String, reason: String) throws {
    let answer = try answer(text)
    #expect(answer.decorations.isEmpty)
    #expect(answer.dropped == 1)
    #expect(answer.complaint?.contains(reason) == true, "\(answer.complaint ?? "")")
  }

  @Test func `what is valid beside it stays, and the line has the number`() throws {
    let answer = try answer(
      #"[{"id":"9"},{"id":"2","note":"low"},{"id":"2","note":"again"},{"id":"8"}]"#)
    #expect(answer.decorations == [.init(2): MessageDecoration(notes: ["low"])])
    #expect(
      answer.complaint
        == "decorate: an id is none of those that were asked about; 3 were dropped")
  }

  @Test func `a hundred thousand spans are dropped`() throws {
    let span = JSONValue.object(["start": .integer(0), "length": .integer(1)])
    let entry = JSONValue.object([
      "id": .text("1"), "spans": .array(Array(repeating: span, count: 100_000)),
    ])
    let answer = DecorationAnswer(.array([entry]), to: Self.request)
    #expect(answer.decorations.isEmpty)
    #expect(answer.complaint == "decorate: message 1: more than 200 spans; it was dropped")
  }

  @Test func `a note is cut`() throws {
    let long = String(repeating: "é", count: 500)
    let answer = try answer(#"[{"id":"1","note":"\#(long)"}]"#)
    #expect(answer.decorations[.init(1)]?.notes == [String(repeating: "é", count: 80)])
  }

  @Test func `of two scripts, the parts of the first are shown where both have one`() {
    var first = MessageDecoration(
      spans: [.init(2..<4, .good), .init(8..<9, .good)], notes: ["one"])
    first.add(
      MessageDecoration(
        spans: [
          .init(0..<2, .bad), .init(3..<5, .bad), .init(5..<8, .bad), .init(8..<10, .bad),
          .init(10..<11, .bad),
        ], notes: ["two"]))
    #expect(
      first.spans == [
        .init(0..<2, .bad), .init(2..<4, .good), .init(5..<8, .bad), .init(8..<9, .good),
        .init(10..<11, .bad),
      ])
    #expect(first.notes == ["one", "two"])
    var over = MessageDecoration(spans: [.init(2..<4, .good)])
    over.add(MessageDecoration(spans: [.init(1..<3, .bad), .init(0..<9, .bad)]))
    #expect(over.spans == [.init(2..<4, .good)])
  }
}

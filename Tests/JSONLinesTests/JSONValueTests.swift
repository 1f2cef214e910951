import Testing

@testable import JSONLines

/// Values of JSON.
@Suite struct JSONValueTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-1", "9223372036854775807", "1.5", "1e+300", #""""#,
    #""text""#, "[]", "{}", "[1,[2,{}],null]", #"{"a":{"b":[true]},"c":"d"}"#,
    #""\u001b\u202e \"\\ é日本""#,
  ])
  func `a value is written as it was read`(text: String) throws {
    #expect(try JSONValue(parsing: text.utf8).text == text)
  }

  @Test(arguments: [
    (#" [ 1 , 2 ] "#, JSONValue.array([.integer(1), .integer(2)])),
    (#""\u00e9\ud83d\ude00\/\b\f""#, .text("é😀/\u{8}\u{c}")),
    (#"{"a":1,"a":2}"#, .object(["a": .integer(2)])),
    ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1e2", .number(100)),
  ])
  func `values are read as RFC 8259 says`(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text.utf8) == value)
  }

  @Test(arguments: [
    "", " ", "nul", "nulll", "01", "-", "1.", "1e", ".5", "+1", "1e999", "[1,]", "[1 2]", "[",
    "{", #"{"a"}"#, #"{"a":}"#, #"{a:1}"#, #"{"a":1,}"#, #""a"#, "\"a\nb\"", #""\x""#,
    #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, #""\u12g4""#, "1 1", "'a'", "NaN",
  ])
  func `anything else is no value`(text: String) {
    #expect(throws: JSONProblem.self) { try JSONValue(parsing: text.utf8) }
  }

  @Test func `bytes that are not UTF-8 are no value`() {
    #expect(throws: JSONProblem.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
    #expect(throws: JSONProblem.self) { try JSONValue(parsing: [0x22, 0xC0, 0x80, 0x22]) }
  }

  @Test func `nesting is limited`() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array(repeating: 0x5B, count: depth) + Array(repeating: 0x5D, count: depth)
    }
    #expect(throws: Never.self) { try JSONValue(parsing: nested(JSONValue.maximumDepth)) }
    #expect(throws: JSONProblem.self) { try JSONValue(parsing: nested(JSONValue.maximumDepth + 1)) }
    #expect(throws: JSONProblem.self) { try JSONValue(parsing: nested(1_000_000)) }
  }

  @Test func `no name and no text has a cluster that goes on without end`() throws {
    let marks = String(repeating: "\u{301}", count: 100)
    let escapes = String(repeating: #"\u0301"#, count: 100)
    let value = try JSONValue(parsing: #"{"a\#(marks)":"b\#(escapes)"}"#.utf8)
    guard case .object(let members) = value else {
      Issue.record("\(value) is no object")
      return
    }
    for text in members.keys + members.values.compactMap(\.string) {
      #expect(text.unicodeScalars.count { $0 == "\u{301}" } == 100)
      #expect(text.allSatisfy { $0.unicodeScalars.count <= 31 })
    }
  }
}

import Foundation
import Testing

/// The string literals of Swift sources that may be keys of texts.
///
/// Sources are read as bytes: a search for each key, and a regular expression, which goes from
/// character to character, take half a minute for all of them.
struct KeyLiterals {
  /// The literals, without their quotes.
  private(set) var all: Set<String> = []
  /// The keys that calls ask texts for, which are their first argument, or the second one after a
  /// plain name.
  private(set) var asked: Set<String> = []

  /// The functions and types that take a key.
  private static let callers: Set<String> = [
    "localizer", "plural", "StatusNotice", "NatterError", "LocalizableText", "wrong", "never",
    "named",
  ]

  /// The most bytes of a key, and of what is before it in a call.
  private static let limit = 120

  /// Adds the literals of a file.
  mutating func add(_ source: String) {
    var source = source
    source.withUTF8 { bytes in
      var quote = Self.quote(in: bytes, from: 0)
      while let start = quote {
        quote = Self.quote(in: bytes, from: start + 1)
        guard let end = quote else { break }
        let literal = bytes[(start + 1)..<end]
        guard literal.count <= Self.limit, literal.allSatisfy(Self.isKeyByte) else { continue }
        let key = String(decoding: literal, as: UTF8.self)
        all.insert(key)
        // A literal that ends with a point is the beginning of keys that are put together.
        if key.contains("."), key.last != ".", Self.isAsked(before: bytes[..<start]) {
          asked.insert(key)
        }
      }
    }
  }

  private static func quote(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + start, 0x22, bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  private static func isKeyByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }

  /// Indicates whether text ends where a call that takes a key has it.
  private static func isAsked(before text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var rest = Substring(decoding: text.suffix(limit), as: UTF8.self)
    func dropBlanks() { while rest.last?.isWhitespace == true { rest.removeLast() } }
    dropBlanks()
    if rest.last == "," {
      rest.removeLast()
      while let last = rest.last, last == "." || last.isLetter { rest.removeLast() }
      dropBlanks()
    }
    guard rest.popLast() == "(" else { return false }
    return callers.contains(String(rest.reversed().prefix { $0.isLetter }.reversed()))
  }
}

/// The reader of keys in sources that the tests of texts use.
@Suite struct KeyLiteralsTests {
  private func literals(_ source: String) -> KeyLiterals {
    var literals = KeyLiterals()
    literals.add(source)
    return literals
  }

  @Test func `the keys that calls ask for are found`() {
    let found = literals(
      """
      localizer("a.one") + localizer.plural("a.two", 2)
      throw NatterError(.refused, "a.three", ["x": "a.value"])
      StatusNotice(
        .info,
        "a.four")
      other("a.five"); localizer(key, named: "a.six"); localizer("a.prefix.")
      """)
    #expect(found.asked == ["a.one", "a.two", "a.three", "a.four"])
    #expect(found.all.isSuperset(of: ["a.five", "a.six", "a.value", "x", "a.prefix."]))
  }

  @Test func `keys inside of a text with quotes, and beside letters of others, are found`() {
    let found = literals("é(\"\\(localizer(\"b.one\"))\", \"b.two\", \"not a key\")")
    #expect(found.asked == ["b.one"])
    #expect(found.all.contains("b.two") && !found.all.contains("not a key"))
    #expect(literals("no literal").all.isEmpty && literals("\"open").all.isEmpty)
  }
}

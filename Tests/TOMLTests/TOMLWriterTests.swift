import Testing

@testable import TOML

@Suite struct TOMLWriterTests {
  @Test func `what is written reads back as it was`() throws {
    var writer = TOMLWriter()
    writer.comment("made\nby \u{7}the program")
    writer.set("version", 1)
    writer.set("nothing", nil as String?)
    writer.section("account", "alice \"x\"@example.org")
    writer.set("server", "tab\t, quote \", back\\slash, é, 日本, \u{1}")
    writer.set("a key", .boolean(true))
    writer.set(
      "list", .array([TOMLValue(.string("a"), line: 1), TOMLValue(.integer(-3), line: 1)]))
    writer.section("empty")

    let document = try TOMLDocument.parse(writer.text)
    #expect(document.root["version"]?.integer == 1)
    #expect(document.root.keys == ["version"])
    let table = try #require(document["account", "alice \"x\"@example.org"])
    #expect(table["server"]?.string == "tab\t, quote \", back\\slash, é, 日本, \u{1}")
    #expect(table["a key"]?.boolean == true)
    #expect(table["list"]?.array?.map(\.kind) == [.string("a"), .integer(-3)])
    #expect(document["empty"]?.entries == [])
    #expect(writer.text.hasPrefix("# made by  the program\n"))
  }
}

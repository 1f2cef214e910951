import Testing

@testable import FileService

@Suite struct SentNameTests {
  @Test func `a name stays bounded where what bounded it is left out`() {
    let marks = String(repeating: "\u{301}", count: 30)
    let name = SentName.of("/home/a" + [marks, marks, marks].joined(separator: "\u{200B}"))
    let runs = name.unicodeScalars.split { $0 != "\u{301}" }
    #expect(runs.map(\.count) == [30, 30, 30])
  }

  @Test func `a name that begins with a combining mark is sent without its folder`() {
    #expect(SentName.of("/home/secret/\u{301}rose.png") == "\u{301}rose.png")
  }
}

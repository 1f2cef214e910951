import Testing

@testable import FileService

@Suite struct SentNameTests {
  @Test func `a name stays bounded where what bounded it is left out`() {
    let marks = String(repeating: "\u{301}", count: 30)
    let name = SentName.of("/home/a" + [marks, marks, marks].joined(separator: "\u{200B}"))
    let runs = name.unicodeScalars.split { $0 != "\u{301}" }
    #expect(runs.map(\.count) == [30, 30, 30])
  }
}

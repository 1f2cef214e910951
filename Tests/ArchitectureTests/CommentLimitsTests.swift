import Testing

/// Comments: their width, the terms of those of Sources, and how much of each module's interface
/// they explain.
struct CommentLimitsTests {
  /// Read once for all tests.
  private static let figures = Result { CommentFigures(of: try Checkout.sources.get()) }

  private let figures: CommentFigures

  init() throws { figures = try Self.figures.get() }

  @Test func `comments use no retired term`() {
    let counts = figures.terms.mapValues { $0.reduce(0) { $0 + $1.count } }
    KnownSizes(CommentExceptions.terms).expect(counts, limit: 0) { path in
      figures.terms[path, default: []].map { "\n  \($0.location)" }.joined()
    }
  }

  @Test func `lines with comments end at 100 columns`() throws {
    #expect(figures.wide == [:])
    let tests = try Checkout.texts(below: "Tests")
    #expect(tests.count > 500)
    // Few of these have a line of that width at all.
    let wide = tests.filter { _, text in
      text.utf8.split(separator: UInt8(ascii: "\n")).contains { $0.count > 100 }
    }
    #expect(CommentFigures(of: wide.map { SwiftFile(path: $0.path, text: $0.text) }).wide == [:])
  }

  @Test func `interfaces have 25 lines of doc comments for 100 lines of declarations`() {
    #expect(figures.interfaces.count > 20)
    // What is missing is over the limit of zero, and only shrinks.
    let missing = figures.interfaces.mapValues { max(0, 25 - $0.density) }
    KnownSizes(CommentExceptions.documentation.mapValues { 25 - $0 }).expect(missing, limit: 0) {
      " missing of 25; it has \(figures.interfaces[$0]?.density ?? 0)"
    }
  }

  @Test func `the figures are what is there`() {
    let wide = "  /// " + String(repeating: "x", count: 95)
    let file = SwiftFile(
      path: "Sources/Base/Sample/Sample.swift",
      text: """
        /// Users sign in. They are told, and the
        /// person stands. `words` is code.
        /// - Parameter place: A `door`, and "he".
        @MainActor
        package enum Sample: Sendable {
          /// One.
          case one
          case two  // not handed
          static let long = #"a "https://a.example/\(String(repeating: "x", count: 80))" or so"#
          package static func == (a: Sample, b: Sample) -> Bool { a.words == b.words }
        \(wide)
          package func run(
            a: Int = 1,
            b: [Int]
          ) -> Int {
            let text = "// told"
            // by him
          }
          func words() {}
        }

        package protocol Running: Sendable {
          /// Two.
          /// Three.
          func run(
            a: Int)
          static var a: Int { get }
        }
        """)
    let figures = CommentFigures(of: [file])
    #expect(
      figures.terms[file.path]?.map(\.location) == [
        "1: told, the person, stands, he", "8: handed", "17: him",
      ])
    #expect(figures.wide == [file.path: [11]])
    let interface = CommentFigures.Interface(documentation: 7, declarations: 12)
    #expect(figures.interfaces == ["Sample": interface])
    #expect(interface.density == 58)
  }
}

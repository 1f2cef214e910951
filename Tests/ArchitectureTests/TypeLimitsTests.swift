import Foundation
import Testing

/// Limits on the size of types, over all their files.
///
/// The types that were larger when these limits were set are in a list with their size, and only
/// shrink.
struct TypeLimitsTests {
  /// Read once for all tests.
  private static let figures = Result { TypeFigures(of: try Checkout.sources.get()) }

  private let figures: TypeFigures

  init() throws { figures = try Self.figures.get() }

  @Test func `a type has at most 600 lines`() {
    #expect(figures.lines.count > 1000)
    KnownSizes(TypeExceptions.lines).expect(figures.lines, limit: 600)
  }

  @Test func `a type has at most 20 stored properties`() {
    KnownSizes(TypeExceptions.stored).expect(figures.stored, limit: 20)
  }

  @Test func `a protocol has at most 8 requirements`() {
    KnownSizes(TypeExceptions.requirements).expect(figures.requirements, limit: 8)
  }

  @Test func `an initialiser takes at most 8 parameters`() {
    KnownSizes(TypeExceptions.parameters).expect(figures.parameters, limit: 8)
  }

  @Test func `a file has at most 10 weak references to self`() {
    KnownSizes(TypeExceptions.weak).expect(figures.weak, limit: 10)
  }

  @Test func `names of types have no retired term`() {
    // These are about geography.
    let exceptions: Set = ["Text.PlaceTable", "ViewModels.PlacePickers"]
    let found = figures.lines.keys.filter { name in
      let words = String(name.flatMap { $0.isUppercase ? [" ", $0] : [$0] })
      return RetiredTerms.forms(in: words) != []
    }
    #expect(Set(found) == exceptions)
  }

  @Test func `the figures are what is there`() {
    let file = SwiftFile(
      path: "Sources/Base/Sample/Sample.swift",
      text: """
        package final class Sample {
          private let a = 1
          var b: Int { a }
          var (c, d) = (1, 2)
          weak var e: Sample?
          static let f = 2
          var g = 1 { didSet { run { [weak self] in self?.b } } }

          init(
            a: [Int: Int], b: (Int, Int) -> Void,
            c: Int = 1
          ) {
            let h = 1
          }
        }

        extension Sample {
          func run() {}
        }

        protocol Running: Sendable {
          var a: Int { get }
          func run(a: Int, b: Int)
        }
        """)
    let figures = TypeFigures(of: [file])
    #expect(figures.lines == ["Sample.Sample": 18, "Sample.Running": 4])
    #expect(figures.stored == ["Sample.Sample": 5])
    #expect(figures.requirements == ["Sample.Running": 2])
    #expect(figures.parameters == ["Sample.Sample": 3, "Sample.Running": 0])
    #expect(figures.weak == ["Sources/Base/Sample/Sample.swift": 1])
  }
}

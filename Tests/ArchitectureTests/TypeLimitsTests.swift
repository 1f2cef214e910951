import Foundation
import Testing

/// What no type grows past, over all its files.
///
/// What was larger when these limits were set stands in a list with its size, and only shrinks.
struct TypeLimitsTests {
  private let figures: TypeFigures

  init() throws { figures = TypeFigures(of: try Checkout.sources.get()) }

  /// Expects that what is over `limit` is what `known` has, in its size.
  private func expect(
    _ sizes: [String: Int], limit: Int, known: [String: Int],
    location: SourceLocation = #_sourceLocation
  ) {
    let over = sizes.filter { $0.value > limit }
    for (name, size) in over.sorted(by: { $0.key < $1.key }) {
      guard let allowed = known[name] else {
        Issue.record("\"\(name)\": \(size), over \(limit)", sourceLocation: location)
        continue
      }
      if size > allowed {
        Issue.record("\"\(name)\": \(size), it was \(allowed)", sourceLocation: location)
      } else if size < allowed {
        Issue.record(
          "\"\(name)\": \(size) and no longer \(allowed): put the new size into the list",
          sourceLocation: location)
      }
    }
    for name in known.keys.sorted() where over[name] == nil {
      Issue.record(
        "\"\(name)\" is within the limit: take it out of the list", sourceLocation: location)
    }
  }

  @Test func `a type has at most 600 lines`() {
    #expect(figures.lines.count > 1000)
    expect(figures.lines, limit: 600, known: TypeExceptions.lines)
  }

  @Test func `a type has at most 20 stored properties`() {
    expect(figures.stored, limit: 20, known: TypeExceptions.stored)
  }

  @Test func `a protocol has at most 8 requirements`() {
    expect(figures.requirements, limit: 8, known: TypeExceptions.requirements)
  }

  @Test func `an initialiser takes at most 8 parameters`() {
    expect(figures.parameters, limit: 8, known: TypeExceptions.parameters)
  }

  @Test func `a file has at most 10 weak references to self`() {
    expect(figures.weak, limit: 10, known: TypeExceptions.weak)
  }

  @Test func `the figures are what is there`() {
    let file = SwiftFile(
      path: "Sources/Sample/Sample.swift",
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
    #expect(figures.weak == ["Sources/Sample/Sample.swift": 1])
  }
}

import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Every attribute and every text that the program reads, each with the worst that others can put
/// there: it is read or refused, what is kept is bounded, and no run of marks goes on without end.
@Suite struct WorstPositionsTests {
  static func seeds() throws -> [URL] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fuzz/Corpus/stanza")
    return try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    ).sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  static func read(_ length: Int, _ numbers: (Int) -> [Int]) throws -> Int {
    var read = 0
    for file in try seeds() {
      let positions = try WorstPositions(Array(Data(contentsOf: file)))
      for position in 0..<positions.count {
        for number in numbers(read) {
          let kind = WorstPositions.kinds[number]
          #expect(
            throws: Never.self,
            "\(file.lastPathComponent): \(positions.name(of: position)) of \(kind.name)"
          ) { try positions.read(kind.text(length), at: position) }
        }
        read += 1
      }
    }
    return read
  }

  @Test
  func `each position is read or refused with each kind of text, and what is kept is bounded`()
    throws
  {
    let count = try Self.read(1000) { _ in Array(WorstPositions.kinds.indices) }
    #expect(count > 500)
  }
}

/// The same with as much text as a stanza may bring; each position has another kind.
@Suite(.long) struct WorstPositionsLongTests {
  @Test func `each position is read or refused with a quarter of a megabyte`() throws {
    let count = try WorstPositionsTests.read(250_000) { [$0 % WorstPositions.kinds.count] }
    #expect(count > 500)
  }

  /// All decoders in a row make the text dozens of times, the program makes it a few times.
  private static let ratioLimit = 200.0
  /// Ten where the work grows as the text does, a hundred where it grows with the square.
  private static let growthLimit = 30.0

  @Test func `no position takes long, or longer than its text is longer`() throws {
    var times = try WorstTimes(bytes: 250_000)
    for file in try WorstPositionsTests.seeds() {
      let positions = try WorstPositions(Array(Data(contentsOf: file)))
      try times.measure(positions, of: file.lastPathComponent, isWhole: false)
    }
    print(
      "250 kB at each place, to parse which takes \((times.parsing * 1000).rounded()) ms; the slowest:"
    )
    for time in times.slowest(10) { print(time.line) }
    #expect(times.times.count > 1000)
    for time in times.times {
      #expect(time.ratio < Self.ratioLimit, "\(time.line)")
      #expect(time.growth < Self.growthLimit, "\(time.line)")
    }
  }
}

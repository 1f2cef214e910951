import Foundation
import FuzzTargets

/// The time that reading takes with 250 kB of the worst text in each attribute and each text of the
/// fuzzer's first stanzas.
struct WorstPositionsBenchmark {
  /// The folder with the stanzas.
  let folder: String

  private static let bytes = 250_000
  /// Nothing should take longer, in milliseconds.
  private static let limit = 50.0

  func run() throws {
    var times = try WorstTimes(bytes: Self.bytes)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      let stanzas = try Data(contentsOf: URL(filePath: folder).appending(path: name))
      try times.measure(try WorstPositions(Array(stanzas)), of: name, isWhole: true)
    }
    for time in times.slowest(20) { print(time.line) }
    let long = times.times.count { $0.seconds * 1000 > Self.limit }
    print("\(long) of \(times.times.count) take over \(Int(Self.limit)) ms")
    print("parsing alone takes up to \((times.parsing * 100_000).rounded() / 100) ms")
  }
}

import Glibc
import XML
import XMPP

/// The processor time that it takes to read each position with a text (`WorstPositions`).
///
/// Only times of one run are compared, with one another and with what parsing as long a text takes:
/// so neither the machine nor the build nor what runs beside it counts. Each reading is that of all
/// decoders, one after the other, where the program has a few for each kind of stanza.
package struct WorstTimes {
  /// The time of a position with one kind of text.
  package struct Time: Sendable {
    /// The position, as reports name it.
    package let position: String
    /// The name of the kind of text.
    package let kind: String
    /// With all of the text, in seconds.
    package let seconds: Double
    /// The time as a multiple of that of parsing alone.
    package let ratio: Double
    /// The time as a multiple of that for a tenth of the text: ten, where the work grows linearly,
    /// and a hundred, where it grows with the square.
    package let growth: Double

    /// A line of a report.
    package var line: String {
      "\(Self.text(seconds * 1000)) ms, \(Self.text(ratio)) times parsing alone, "
        + "\(Self.text(growth)) times a tenth of it: \(position) of \(kind)"
    }

    private static func text(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
  }

  /// The length of the texts, in bytes.
  package let bytes: Int
  /// The seconds that it takes to parse a message with such a text and to extract the text, of the
  /// slowest kind.
  package let parsing: Double
  /// The measured times.
  package private(set) var times: [Time] = []

  /// Measures what parsing alone takes.
  /// - Parameter bytes: the length of the texts.
  package init(bytes: Int) throws {
    self.bytes = bytes
    var longest = 0.0
    for kind in WorstPositions.kinds {
      longest = max(longest, try Self.parsing(kind.text(bytes)))
    }
    parsing = longest
  }

  /// Measures all positions of some stanzas: those of a tenth of the text with each kind, those of
  /// the whole text with the kind of which a tenth took longest, and with the other kinds one after
  /// the other.
  /// - Parameters:
  ///   - name: what the stanzas are called in reports.
  ///   - isWhole: the whole text of each kind, which takes three times as long.
  package mutating func measure(_ positions: WorstPositions, of name: String, isWhole: Bool) throws
  {
    for position in 0..<positions.count {
      var tenths: [Double] = []
      for kind in WorstPositions.kinds {
        let stanza = positions.bytes(with: kind.text(bytes / 10), at: position)
        tenths.append(try Self.fastest(of: 1) { try WorstPositions.read(stanza) })
      }
      let slowest = tenths.indices.max { tenths[$0] < tenths[$1] } ?? 0
      let chosen = [slowest, times.count % tenths.count]
      for kind in tenths.indices where isWhole || chosen.contains(kind) {
        let stanza = positions.bytes(with: WorstPositions.kinds[kind].text(bytes), at: position)
        times.append(
          try time(
            of: stanza, tenth: tenths[kind], position: "\(name): \(positions.name(of: position))",
            kind: WorstPositions.kinds[kind].name))
      }
    }
  }

  /// The times that take longest, the longest first.
  package func slowest(_ count: Int) -> [Time] {
    Array(times.sorted { $0.seconds > $1.seconds }.prefix(count))
  }

  /// - Parameter tenth: what a tenth of the text took.
  private func time(of stanza: [UInt8], tenth: Double, position: String, kind: String) throws
    -> Time
  {
    func best(of runs: Int) throws -> Time {
      let seconds = try Self.fastest(of: runs) { try WorstPositions.read(stanza) }
      return Time(
        position: position, kind: kind, seconds: seconds, ratio: seconds / parsing,
        // Where hardly anything is read, it is the parser that is measured.
        growth: seconds / max(tenth, parsing / 10))
    }
    let once = try best(of: 1)
    // What another test does to the memory may have slowed it down.
    return once.growth > 15 ? try best(of: 3) : once
  }

  private static func parsing(_ text: String) throws -> Double {
    let message = Element(
      "message", Namespace.client, [:], [Element("body", Namespace.client, text: text)])
    let bytes = XMLWriter().bytes(message)
    return try fastest(of: 5) {
      let parser = XMLStreamParser()
      _ = try parser.feed(StanzaFuzzing.header)
      for case .element(let element) in try parser.feed(bytes) {
        guard MessageStanza(element).body != nil else {
          throw FuzzFinding(description: "no text was parsed")
        }
      }
    }
  }

  /// The shortest of some times, in seconds of this thread.
  private static func fastest(of runs: Int, _ work: () throws -> Void) rethrows -> Double {
    var fastest = Double.infinity
    for _ in 0..<runs {
      let start = processorTime
      try work()
      fastest = min(fastest, processorTime - start)
    }
    return fastest
  }

  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

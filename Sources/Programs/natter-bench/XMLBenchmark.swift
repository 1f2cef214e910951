import Foundation
import Glibc
import XML
import XMPP

/// The stream parser compared with expat (`xmlwf -t`), on the same stanzas.
///
/// Both read the same bytes; expat only checks them, without namespaces and with no handler set,
/// while the parser resolves namespaces and returns an `Element` for each stanza. The third figure
/// also reads every name, attribute and text of these elements as strings.
struct XMLBenchmark {
  /// The amount of data to generate.
  let megabytes: Int
  private let rounds = 5

  func run() throws {
    let generated = StanzaText.stream(byteCount: megabytes * 1_000_000)
    let bytes = generated.bytes
    print("\(Double(bytes.count) / 1e6) MB, \(generated.stanzaCount) stanzas, best of \(rounds)")

    let parsed = try best { try parse(bytes, readingAll: false) }
    report("natter, elements built", parsed, bytes.count)
    let read = try best { try parse(bytes, readingAll: true) }
    report("natter, every string read", read, bytes.count)

    guard let expat = try measureExpat(bytes) else {
      print("xmlwf is not installed (apt-get install expat): nothing to compare with")
      return
    }
    report("expat (xmlwf -t)", expat, bytes.count)
    print(
      String(
        format: "ratio: natter is %.2f times as fast as expat; with every string read %.2f times",
        expat / parsed, expat / read))
  }

  private func best(_ measure: () throws -> Double) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<rounds { best = min(best, try measure()) }
    return best
  }

  private func report(_ name: String, _ seconds: Double, _ byteCount: Int) {
    let padded = name.padding(toLength: 28, withPad: " ", startingAt: 0)
    print(
      padded
        + String(
          format: "%8.1f ms %8.1f MB/s", seconds * 1000, Double(byteCount) / 1e6 / seconds))
  }

  /// Seconds to parse all of `bytes`, fed in pieces as large as a socket's reads.
  private func parse(_ bytes: [UInt8], readingAll: Bool) throws -> Double {
    let parser = XMLStreamParser()
    var stanzas = 0
    var characters = 0
    let start = ContinuousClock.now
    try bytes.withUnsafeBufferPointer { buffer in
      var index = 0
      while index < buffer.count {
        let end = min(buffer.count, index + 65_536)
        for event in try parser.feed(UnsafeBufferPointer(rebasing: buffer[index..<end])) {
          guard case .element(let element) = event else { continue }
          stanzas += 1
          if readingAll { characters += count(element) }
        }
        index = end
      }
    }
    let elapsed = ContinuousClock.now - start
    if let failure = parser.failure { throw failure }
    precondition(stanzas > 0 && (characters > 0 || !readingAll))
    return seconds(elapsed)
  }

  private func count(_ element: Element) -> Int {
    var sum = element.name.utf8.count + element.namespace.utf8.count
    for (key, value) in element.attributes { sum += key.utf8.count + value.utf8.count }
    for child in element.children {
      switch child {
      case .element(let inner): sum += count(inner)
      case .text(let text): sum += text.utf8.count
      }
    }
    return sum
  }

  /// Seconds of processor time that xmlwf takes; nil when it is not installed.
  private func measureExpat(_ bytes: [UInt8]) throws -> Double? {
    let program = ["/usr/bin/xmlwf", "/usr/local/bin/xmlwf"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    guard let program else { return nil }
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("natter-bench-\(getpid()).xml")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try best {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = ["-t", file.path]
      let start = processorSecondsOfChildren()
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw CocoaError(.fileReadCorruptFile) }
      return processorSecondsOfChildren() - start
    }
  }

  private func processorSecondsOfChildren() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    let times = [usage.ru_utime, usage.ru_stime]
    return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
  }

  private func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }
}

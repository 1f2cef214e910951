import XML
import XMPP

/// A stream of XML: the first byte is the seed of where it is split, the rest the stream.
enum XMLFuzzing {
  @Sendable static func run(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let seed = input.byte()
    let stream = Array(input.rest)
    let whole = read([stream])
    // Every byte by itself, and pieces as they come.
    for pieces in [stream.map { [$0] }, stream.pieces(seed: seed, longest: 9)] {
      let parts = read(pieces)
      try require(
        parts == whole, "the splitting changes what is read:\n\(whole)\n\(parts)")
    }
    for case .element(let element) in whole.events { try checkWriting(element) }
  }

  private struct Outcome: Equatable {
    var events: [XMLStreamEvent] = []
    var failure: XMLError?
  }

  private static func read(_ pieces: [[UInt8]]) -> Outcome {
    let parser = XMLStreamParser()
    var outcome = Outcome()
    for piece in pieces {
      do { outcome.events += try parser.feed(piece) } catch { break }
    }
    outcome.failure = parser.failure
    return outcome
  }

  /// Checks that a parsed element can be written, and parsed again as the same.
  private static func checkWriting(_ element: Element) throws {
    let writer = XMLWriter()
    let parser = XMLStreamParser()
    let written = writer.bytes(element)
    let events: [XMLStreamEvent]
    do { events = try parser.feed(writer.streamHeader([:]) + written) } catch {
      throw FuzzFinding(description: "what was written is refused: \(error)")
    }
    guard case .element(let again)? = events.last, parser.failure == nil else {
      throw FuzzFinding(
        description: "what was written is refused: \(String(describing: parser.failure))")
    }
    try require(writer.bytes(again) == written, "written again it is something else")
  }
}

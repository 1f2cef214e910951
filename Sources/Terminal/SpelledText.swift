/// A text in which some clusters are drawn as words, and which place in the one is which in the other.
///
/// A cluster stays one: what is between its ends on the screen is no place of the text.
struct SpelledText: Equatable, Sendable {
  /// A cluster and its words; offsets are bytes of UTF-8.
  private struct Part: Equatable {
    let range: Range<Int>
    let drawn: Range<Int>
  }

  /// As it is drawn.
  let drawn: String
  private let parts: [Part]

  /// - Parameters:
  ///   - room: columns of a row; no words take more.
  ///   - spelling: what is drawn in place of a text; `nil`: the text itself.
  init(_ text: String, room: Int, spelling: ((String) -> String)?) {
    // What can be spelled is not among what has two bytes.
    guard let spelling, text.utf8.contains(where: { $0 >= 0xE2 }) else {
      drawn = text
      parts = []
      return
    }
    var result = ""
    var parts: [Part] = []
    var offset = 0
    for cluster in text {
      let count = cluster.utf8.count
      let own = String(cluster)
      var words = spelling(own)
      if words != own {
        if words.columns > room { words = words.prefix(columns: max(1, room - 1)) + ":" }
        let start = result.utf8.count
        parts.append(
          Part(range: offset..<offset + count, drawn: start..<start + words.utf8.count))
      }
      result += words
      offset += count
    }
    drawn = result
    self.parts = parts
  }

  /// Where what is at `offset` in the text is in what is drawn.
  func drawn(_ offset: Int) -> Int {
    guard let part = parts.last(where: { $0.range.lowerBound < offset }) else { return offset }
    return part.drawn.upperBound + max(0, offset - part.range.upperBound)
  }

  /// Where the text is that is drawn at `place`: for a place within words the two ends of their cluster.
  func ends(ofDrawn place: Int) -> Range<Int> {
    guard let part = parts.last(where: { $0.drawn.lowerBound < place }) else {
      return place..<place
    }
    guard place >= part.drawn.upperBound else { return part.range }
    let offset = part.range.upperBound + place - part.drawn.upperBound
    return offset..<offset
  }
}

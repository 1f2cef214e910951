/// A text in which some clusters are drawn as names, with the mapping of positions between both.
///
/// A cluster stays a unit: positions inside its drawn name do not exist in the text.
struct SpelledText: Equatable, Sendable {
  /// A cluster and its drawn name; offsets are bytes of UTF-8.
  private struct Part: Equatable {
    let range: Range<Int>
    let drawn: Range<Int>
  }

  /// The drawn text.
  let drawn: String
  private let parts: [Part]

  /// - Parameters:
  ///   - room: the columns of a row; no name is wider.
  ///   - spelling: returns the replacement that is drawn for a text; `nil` draws the text itself.
  init(_ text: String, room: Int, spelling: ((String) -> String)?) {
    // No character of two bytes has a name.
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

  /// Returns the offset in the drawn text for an offset in the text.
  func drawn(_ offset: Int) -> Int {
    guard let part = parts.last(where: { $0.range.lowerBound < offset }) else { return offset }
    return part.drawn.upperBound + max(0, offset - part.range.upperBound)
  }

  /// Returns the range in the text for an offset in the drawn text: inside a name, the two ends of
  /// its cluster.
  func ends(ofDrawn position: Int) -> Range<Int> {
    guard let part = parts.last(where: { $0.drawn.lowerBound < position }) else {
      return position..<position
    }
    guard position >= part.drawn.upperBound else { return part.range }
    let offset = part.range.upperBound + position - part.drawn.upperBound
    return offset..<offset
  }
}

/// The ends that the loop reaches: of the bytes, of an element, of a stanza, of the stream.
extension XMLMachine {
  /// The bytes are used up. Too many of them for one stanza, or more to wait for.
  func needMore(_ left: Int) throws(XMLError) {
    if left > limit { throw failure(.tooLarge, limit) }
  }

  /// Continues after the end of an element: at the end of a stanza or stream, or in its parent.
  @inline(__always)
  mutating func endElement(
    _ s: inout UnsafePointer<UInt8>, _ left: inout Int, _ at: inout Int, _ end: inout Int,
    _ events: inout [XMLStreamEvent]
  ) {
    closeElement()
    textFloor = at
    if depth == 1 {
      finishStanza(&s, &left, &at, &end, &events)
    } else if depth == 0 {
      events.append(.closed)
      shift(&s, &left, &at, &end)
      state = .afterEnd
    } else {
      state = .text
    }
  }

  /// Makes the byte at `at` the first one of what is looked at.
  @inline(__always)
  mutating func shift(
    _ s: inout UnsafePointer<UInt8>, _ left: inout Int, _ at: inout Int, _ end: inout Int
  ) {
    s += at
    left -= at
    consumed += at
    at = 0
    end = min(left, limit)
  }

  @inline(__always)
  mutating func finishStanza(
    _ s: inout UnsafePointer<UInt8>, _ left: inout Int, _ at: inout Int, _ end: inout Int,
    _ events: inout [XMLStreamEvent]
  ) {
    let tape = StanzaTape(
      words: words, wordCount: wordCount, bytes: s, byteCount: at, header: header)
    events.append(.element(Element(tape: tape, position: 0)))
    wordCount = 0
    shift(&s, &left, &at, &end)
    state = .betweenStanzas
  }
}

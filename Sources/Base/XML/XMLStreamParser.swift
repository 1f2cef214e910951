/// A parsed part of a stream.
package enum XMLStreamEvent: Hashable, Sendable {
  /// The stream's opening tag: an element without children, and the namespace of stanzas without a
  /// prefix (normally `jabber:client`; empty when none is declared).
  indirect case opened(header: Element, defaultNamespace: String)
  /// A complete child of the stream.
  case element(Element)
  /// The stream's closing tag.
  case closed
}

/// Parses the XML of an XMPP stream (RFC 6120 §11) as it arrives, in chunks of any size.
///
/// Namespaces are resolved. Everything that RFC 6120 §11.1 forbids is rejected, as is XML that is
/// not well-formed. The result does not depend on how the bytes were split. The parser must not be
/// used concurrently; its owner is an actor.
package final class XMLStreamParser {
  private var machine: XMLMachine
  private let skipsStanzas: Bool
  /// Set while a stanza is skipped, with the element that is returned for it.
  private var skipped: (skipper: StanzaSkipper, stanza: Element)?
  /// A skipped stanza may be this many times as long as one that is read.
  private static let skippedLimit = 16
  /// A longer attribute of a skipped stanza is not kept, in bytes: no address is longer
  /// (RFC 7622 §3.1).
  private static let longestKept = 3071

  /// The error in the stream, after which the parser returns nothing more.
  package private(set) var failure: XMLError?

  /// - Parameters:
  ///   - stanzaLimit: The longest stanza (or stream header) that is accepted, in bytes as it
  ///     arrives.
  ///   - skipsStanzas: `true` if a stanza over a limit is no error, but is skipped: the part of it
  ///     that was read (`Element.exceedsLimit`) is returned instead.
  package init(stanzaLimit: Int = 1 << 20, skipsStanzas: Bool = false) {
    precondition(stanzaLimit > 0 && stanzaLimit < 1 << 30, "stanza limit out of range")
    self.skipsStanzas = skipsStanzas
    machine = XMLMachine(limit: stanzaLimit)
  }

  /// Parses bytes and returns the events that they complete.
  ///
  /// When valid events precede an error, they are returned and `failure` is set; the next call
  /// throws. So code that closes the stream for bad XML has to check `failure` too.
  /// - Throws: `XMLError`, again at each call once it was thrown, until `reset()`.
  package func feed(_ bytes: UnsafeBufferPointer<UInt8>) throws(XMLError) -> [XMLStreamEvent] {
    if let failure { throw failure }
    var events: [XMLStreamEvent] = []
    do {
      try read(bytes, into: &events)
    } catch {
      failure = error
      if events.isEmpty { throw error }
    }
    return events
  }

  /// Does the same with an array.
  package func feed(_ bytes: [UInt8]) throws(XMLError) -> [XMLStreamEvent] {
    if let failure { throw failure }
    var events: [XMLStreamEvent] = []
    // The result is passed outside the closure: `withUnsafeBufferPointer` would erase the error's
    // type.
    var caught: XMLError?
    bytes.withUnsafeBufferPointer { buffer in
      do throws(XMLError) {
        try read(buffer, into: &events)
      } catch {
        caught = error
      }
    }
    failure = caught
    if let caught, events.isEmpty { throw caught }
    return events
  }

  /// Raises the limit of a stanza's length, as after authentication; never lowers it.
  package func raiseLimit(to stanzaLimit: Int) { machine.limit = max(machine.limit, stanzaLimit) }

  /// Begins a new stream, as after STARTTLS and SASL. Discards unused bytes: data that came
  /// unprotected before TLS must not count as part of the protected stream.
  package func reset() {
    machine.reset()
    failure = nil
    skipped = nil
  }

  // MARK: - Stanzas over a limit

  private func read(
    _ bytes: UnsafeBufferPointer<UInt8>, into events: inout [XMLStreamEvent]
  ) throws(XMLError) {
    var rest: ArraySlice<UInt8>
    if skipped == nil {
      guard let over = try parse(bytes, into: &events) else { return }
      rest = over
    } else {
      rest = Array(bytes)[...]
    }
    while let behind = try skip(rest, into: &events), !behind.isEmpty {
      var over: ArraySlice<UInt8>?
      var caught: XMLError?
      behind.withUnsafeBufferPointer { buffer in
        do throws(XMLError) { over = try parse(buffer, into: &events) } catch { caught = error }
      }
      if let caught { throw caught }
      guard let over else { return }
      rest = over
    }
  }

  /// Parses bytes that do not begin in a skipped stanza.
  /// - Returns: The bytes from the start of a stanza over a limit, which is to be skipped; `nil`
  ///   when there is none.
  private func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, into events: inout [XMLStreamEvent]
  ) throws(XMLError) -> ArraySlice<UInt8>? {
    let consumed = machine.consumed
    do throws(XMLError) {
      try machine.feed(bytes, into: &events)
      return nil
    } catch {
      let isOverLimit = [.tooDeep, .tooLarge, .tooManyAttributes].contains(error.problem)
      // At depth 1, it is the stream's header that exceeds the limit.
      guard skipsStanzas, isOverLimit, machine.depth > 1 else { throw error }
      // The machine keeps bytes of earlier calls together with these, and consumes whole stanzas.
      let all =
        machine.pendingCount > 0
        ? Array(UnsafeMutableBufferPointer(start: machine.pending, count: machine.pendingCount))
        : Array(bytes)
      let stanza = all.dropFirst(machine.consumed - consumed)
      guard let name = StanzaSkipper.name(of: stanza) else { throw error }
      let (part, kept) = readPart(of: stanza, named: name)
      skipped = (StanzaSkipper(findingDelaysIn: kept), part)
      // As after the stanza's end.
      machine.bindings.removeLast(machine.bindings.count - machine.frames[1].bindings)
      machine.depth = 1
      machine.state = .betweenStanzas
      machine.pendingCount = 0
      machine.wordCount = 0
      machine.position = 0
      machine.flag = 0
      return stanza
    }
  }

  /// Returns what was read of a stanza that is about to be skipped: of a message or a presence, its
  /// attributes and complete children; of an IQ, the attributes by which a request or its response
  /// is known, and an error. An unreadable sender where they cannot be known.
  /// - Returns: And the offsets of the names of the elements that continue behind the limit.
  private func readPart(
    of stanza: ArraySlice<UInt8>, named name: String
  ) -> (part: Element, kept: [Int]) {
    let unknown = (Element(skipped: name, ["from": "/"]), [Int]())
    // Of a start tag that was not read whole, `from` may be missing, which means the own server.
    guard machine.depth > 2 || hasWholeTag else { return unknown }
    return stanza.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return unknown }
      let (open, end) = openElements(start)
      for position in open { machine.words[position + 5] = UInt32(truncatingIfNeeded: end) }
      let tape = StanzaTape(
        words: machine.words, wordCount: end, bytes: start, byteCount: bytes.count,
        header: machine.header, openElements: open)
      var kept = Attributes()
      for name in ["type", "id", "from", "to"] {
        guard let value = tape.attribute(name, at: 0) else { continue }
        guard value.utf8.count <= Self.longestKept else { return unknown }
        kept[name] = value
      }
      let part = Element(tape: tape, position: 0)
      guard name == "iq" else { return (part, open.map { Int(machine.words[$0]) }) }
      var request = Element(skipped: name, kept)
      if let error = part.first("error", Namespace.client) { request.append(error.detached) }
      return (request, [])
    }
  }

  /// Indicates whether the start tag of the innermost open element was read.
  private var hasWholeTag: Bool {
    switch machine.state {
    case .text, .cdata, .tagName, .endName, .afterEndName: true
    default: false
    }
  }

  /// The elements around a message in a carbon copy (XEP-0280) or a result of an archive
  /// (XEP-0313), and the message in it.
  private static let wrappers = ["result", "sent", "received", "forwarded", "message"]

  /// Returns the positions of the elements of a stanza over a limit that are kept although they
  /// continue, the outermost first, and the end of what is kept. Other elements are kept only if
  /// they are complete.
  private func openElements(_ start: UnsafePointer<UInt8>) -> (positions: [Int], end: Int) {
    var positions = [0]
    let whole = hasWholeTag ? machine.depth : machine.depth - 1
    for index in 2..<max(2, machine.depth) {
      let position = machine.frames[index].word
      let name = UnsafeBufferPointer(
        start: start + Int(machine.words[position]), count: Int(machine.words[position + 1]))
      guard index < whole, Self.wrappers.contains(where: { $0.utf8.elementsEqual(name) }) else {
        return (positions, position)
      }
      positions.append(position)
    }
    return (positions, machine.wordCount)
  }

  /// Continues to skip a stanza.
  /// - Returns: The bytes after it; `nil` when it continues.
  private func skip(
    _ bytes: ArraySlice<UInt8>, into events: inout [XMLStreamEvent]
  ) throws(XMLError) -> ArraySlice<UInt8>? {
    guard let (started, stanza) = skipped else { return bytes }
    var skipper = started
    let rest = skipper.rest(in: bytes)
    guard skipper.count <= Self.skippedLimit * machine.limit else {
      throw XMLError(.tooLarge, offset: machine.consumed)
    }
    guard let rest else {
      skipped = (skipper, stanza)
      return nil
    }
    skipped = nil
    machine.consumed += skipper.count
    var whole = stanza
    whole.add(skipper.finder.delays)
    events.append(.element(whole))
    return rest
  }
}

/// What the parser found in a stream.
package enum XMLStreamEvent: Hashable, Sendable {
  /// The stream's opening tag: an element without children, and the namespace that stanzas without a prefix are in
  /// (`jabber:client` as a rule; empty where none was declared).
  indirect case opened(header: Element, defaultNamespace: String)
  /// A complete child of the stream.
  case element(Element)
  /// The stream's closing tag.
  case closed
}

/// Reads the XML of an XMPP stream (RFC 6120 §11) as it arrives, in pieces of any size.
///
/// Namespaces are resolved. Everything RFC 6120 §11.1 forbids is refused, as is all that is not well-formed. What is
/// found does not depend on how the bytes were split. Not to be used from two places at once; its owner is an actor.
package final class XMLStreamParser {
  private var machine: XMLMachine

  /// What was wrong with the stream; nothing more will come out of it.
  package private(set) var failure: XMLError?

  /// - Parameter stanzaLimit: the longest stanza (or stream header) that is accepted, in bytes as it arrives
  package init(stanzaLimit: Int = 1 << 20) {
    precondition(stanzaLimit > 0 && stanzaLimit < 1 << 30, "stanza limit out of range")
    machine = XMLMachine(limit: stanzaLimit)
  }

  /// Takes bytes and returns what they complete.
  ///
  /// When something sound comes before what is wrong, the sound part is returned and `failure` set; the next call
  /// throws. So whoever closes the stream for bad XML looks at `failure` too.
  /// - Throws: `XMLError`, again at each call once it was thrown, until `reset()`.
  package func feed(_ bytes: UnsafeBufferPointer<UInt8>) throws(XMLError) -> [XMLStreamEvent] {
    if let failure { throw failure }
    var events: [XMLStreamEvent] = []
    do {
      try machine.feed(bytes, into: &events)
    } catch {
      failure = error
      if events.isEmpty { throw error }
    }
    return events
  }

  /// As above, from an array.
  package func feed(_ bytes: [UInt8]) throws(XMLError) -> [XMLStreamEvent] {
    if let failure { throw failure }
    var events: [XMLStreamEvent] = []
    // The result travels beside the closure: `withUnsafeBufferPointer` would make the error untyped.
    var caught: XMLError?
    bytes.withUnsafeBufferPointer { buffer in
      do throws(XMLError) {
        try machine.feed(buffer, into: &events)
      } catch {
        caught = error
      }
    }
    failure = caught
    if let caught, events.isEmpty { throw caught }
    return events
  }

  /// Takes longer stanzas from now on, as of somebody who has signed in.
  package func raiseLimit(to stanzaLimit: Int) { machine.limit = max(machine.limit, stanzaLimit) }

  /// Begins a new stream, as after STARTTLS and SASL. Bytes that were not used yet are thrown away: what came in the
  /// clear before TLS must not be taken for what comes after it.
  package func reset() {
    machine.reset()
    failure = nil
  }
}

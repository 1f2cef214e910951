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

  /// The error in the stream, after which the parser returns nothing more.
  package private(set) var failure: XMLError?

  /// - Parameter stanzaLimit: The longest stanza (or stream header) that is accepted, in bytes as
  ///   it arrives.
  package init(stanzaLimit: Int = 1 << 20) {
    precondition(stanzaLimit > 0 && stanzaLimit < 1 << 30, "stanza limit out of range")
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
      try machine.feed(bytes, into: &events)
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
        try machine.feed(buffer, into: &events)
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
  }
}

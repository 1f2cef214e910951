import Sockets
import Synchronization
import XML

/// Elements over bytes: parses what arrives, writes what is sent, and restarts the stream after
/// each step that requires it.
actor ElementReader: ElementExchange {
  private let parser: XMLStreamParser
  private let upgrade: @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream
  private let writer = XMLWriter()
  private var events: ArraySlice<XMLStreamEvent> = []
  private var header: Element?
  /// The problem with the server's header; reported when no better error comes with it.
  private var headerProblem: StreamFailure?
  private var early = EarlyElements()
  /// Outside the actor, so that a cancelled task can close it while a read waits.
  private nonisolated let connection: Mutex<any ByteStream>

  /// The problem with the XML that arrived, if that is why the stream ended.
  private(set) var refusal: XMLError?

  /// - Parameter upgrade: Makes a TLS connection out of a plain one (STARTTLS).
  init(
    _ transport: any ByteStream, stanzaLimit: Int,
    upgrade: @escaping @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream
  ) {
    connection = Mutex(transport)
    self.upgrade = upgrade
    parser = XMLStreamParser(stanzaLimit: stanzaLimit, skipsStanzas: true)
  }

  nonisolated var transport: any ByteStream { connection.withLock { $0 } }
  var isSecure: Bool { transport.isSecure }
  var isLoopback: Bool { transport.isLoopback }
  var channelBindings: [ChannelBinding] { transport.channelBindings }

  func openStream(_ options: StreamOptions, followedBy first: Element?)
    async throws(StreamFailure) -> StreamFeatures
  {
    parser.reset()
    events = []
    header = nil
    headerProblem = nil
    var attributes: Attributes = [
      "to": options.domain, "version": "1.0", "xml:lang": options.language,
    ]
    // Unprotected, the header must not show the account's name (RFC 6120 §4.7.1).
    if transport.isSecure, !options.user.isEmpty {
      attributes["from"] = "\(options.user)@\(options.domain)"
    }
    try await write(writer.streamHeader(attributes) + (first.map(writer.bytes) ?? []))
    let features = try await next()
    if let headerProblem { throw headerProblem }
    guard features.is("features", Namespace.streams) else {
      throw .protocolViolation(.breach(.noFeatures))
    }
    return StreamFeatures(features)
  }

  func next() async throws(StreamFailure) -> Element {
    while true {
      while let event = events.popFirst() {
        switch event {
        case .opened(let header, let namespace): note(header, namespace)
        case .closed: throw headerProblem ?? .ended
        case .element(let element):
          if let error = StreamError(element) { throw .stream(error) }
          return element
        }
      }
      // A server older than XMPP 1.0 sends no features: waiting for them would take forever.
      if let headerProblem { throw headerProblem }
      events = try await read()[...]
    }
  }

  private func note(_ header: Element, _ namespace: String) {
    self.header = header
    guard header.is("stream", Namespace.streams) else {
      headerProblem = .notXMPP(.breach(.otherElement, name: header.name))
      return
    }
    guard namespace == Namespace.client else {
      headerProblem = .notXMPP(
        namespace.isEmpty ? .breach(.noNamespace) : .breach(.otherNamespace, name: namespace))
      return
    }
    let major = header["version"]?.split(separator: ".").first.flatMap { Int($0) } ?? 0
    if major < 1 {
      headerProblem = .protocolViolation(.breach(.oldVersion))
    }
  }

  /// Returns the events that arrived and were not taken yet, otherwise those of the next read.
  func nextEvents() async throws(StreamFailure) -> [XMLStreamEvent] {
    guard events.isEmpty else {
      defer { events = [] }
      return Array(events)
    }
    return try await read()
  }

  /// Returns everything that one read of the connection brought.
  private func read() async throws(StreamFailure) -> [XMLStreamEvent] {
    // The valid part of the last read was returned then; its error is due now.
    if let failure = parser.failure { throw refused(failure) }
    let bytes: [UInt8]?
    do { bytes = try await transport.receive() } catch { throw .socket(error) }
    guard let bytes else { throw .ended }
    do { return try parser.feed(bytes) } catch { throw refused(error) }
  }

  private func refused(_ error: XMLError) -> StreamFailure {
    refusal = error
    return header == nil ? .notXMPP(.xml(error)) : .protocolViolation(.xml(error))
  }

  func write(_ element: Element) async throws(StreamFailure) {
    try await write(writer.bytes(element))
  }

  private func write(_ bytes: [UInt8]) async throws(StreamFailure) {
    do { try await transport.send(bytes) } catch { throw .socket(error) }
  }

  func startTLS() async throws(StreamFailure) {
    // Data after the `<proceed/>` in the last plain bytes does not come from the server: it is an
    // attempt to inject it into the protected stream.
    guard events.isEmpty, parser.failure == nil else {
      throw .protocolViolation(.breach(.dataBeforeTLS))
    }
    let secure: any ByteStream
    do { secure = try await upgrade(transport) } catch { throw .socket(error) }
    connection.withLock { $0 = secure }
    if Task.isCancelled {
      secure.close()
      throw .socket(.closed)
    }
  }

  func putBack(_ elements: [Element]) {
    events = ArraySlice(elements.map { .element($0) } + events)
  }

  func setAside(_ stanza: Element) throws(StreamFailure) { try early.append(stanza) }

  /// Returns the stanzas that came before the session was complete, and forgets them.
  func takeEarly() -> EarlyStanzas {
    defer { early = EarlyElements() }
    return EarlyStanzas(early.elements)
  }

  /// Ends a stream that could not be set up, and reports an XML error to the server
  /// (RFC 6120 §4.9.1.1).
  func end() async {
    // Our own header was sent, even if the server's has not arrived.
    if let refusal {
      // The connection is given up anyway, so a failure to send changes nothing.
      try? await transport.send(
        writer.bytes(StreamError(refusal.condition).element) + XMLWriter.streamEnd)
    }
    transport.close()
  }
}

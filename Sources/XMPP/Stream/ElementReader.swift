import Sockets
import Synchronization

/// Elements over bytes: parses what arrives, writes what is sent, and begins anew after each step that asks for it.
actor ElementReader: ElementExchange {
  private let parser: XMLStreamParser
  private let upgrade: @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream
  private let writer = XMLWriter()
  private var events: ArraySlice<XMLStreamEvent> = []
  private var header: Element?
  /// What is wrong with the server's header; told when nothing better comes with it.
  private var headerProblem: StreamFailure?
  private var early: [Element] = []
  /// Outside the actor, so that a cancelled task can close it while a read waits.
  private nonisolated let connection: Mutex<any ByteStream>

  /// What was wrong with the XML that arrived, if that is why the stream ended.
  private(set) var refusal: XMLError?

  /// - Parameter upgrade: makes a TLS connection of a plain one (STARTTLS).
  init(
    _ transport: any ByteStream, stanzaLimit: Int,
    upgrade: @escaping @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream
  ) {
    connection = Mutex(transport)
    self.upgrade = upgrade
    parser = XMLStreamParser(stanzaLimit: stanzaLimit)
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
    // Who signs in is nobody's business on the way (RFC 6120 §4.7.1).
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
      // A server of before XMPP 1.0 sends no features: waiting for them would take forever.
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

  /// What arrived and was not taken yet, or else what the next read brings.
  func nextEvents() async throws(StreamFailure) -> [XMLStreamEvent] {
    guard events.isEmpty else {
      defer { events = [] }
      return Array(events)
    }
    return try await read()
  }

  /// Everything that one read of the connection brought.
  private func read() async throws(StreamFailure) -> [XMLStreamEvent] {
    // The last read's sound part was taken; now its mistake counts.
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
    // Something that came with the last plain bytes was not the server's to send: an attempt to have it taken for
    // a part of the protected stream.
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

  func setAside(_ stanza: Element) { early.append(stanza) }

  /// The stanzas that came before the session was complete.
  func takeEarly() -> EarlyStanzas {
    defer { early = [] }
    return EarlyStanzas(early)
  }

  /// Ends a stream that could not be set up, telling the server what was wrong with its XML (RFC 6120 §4.9.1.1).
  func end() async {
    // Our own header is out, whether the server's has come or not.
    if let refusal {
      // The connection is given up anyway; whether this arrives changes nothing.
      try? await transport.send(
        writer.bytes(StreamError(refusal.condition).element) + XMLWriter.streamEnd)
    }
    transport.close()
  }
}

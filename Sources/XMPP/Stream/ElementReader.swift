import Sockets

/// Elements over bytes: parses what arrives, writes what is sent, and begins anew after each step that asks for it.
actor ElementReader: ElementExchange {
  private(set) var transport: any ByteStream
  private let parser: XMLStreamParser
  private let upgrade: @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream
  private let writer = XMLWriter()
  private var events: ArraySlice<XMLStreamEvent> = []
  private var header: Element?

  /// - Parameter upgrade: makes a TLS connection of a plain one (STARTTLS).
  init(
    _ transport: any ByteStream, stanzaLimit: Int,
    upgrade: @escaping @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream
  ) {
    self.transport = transport
    self.upgrade = upgrade
    parser = XMLStreamParser(stanzaLimit: stanzaLimit)
  }

  var isSecure: Bool { transport.isSecure }

  func openStream(_ options: StreamOptions) async throws(StreamFailure) -> StreamFeatures {
    parser.reset()
    events = []
    header = nil
    var attributes: Attributes = [
      "to": options.domain, "version": "1.0", "xml:lang": options.language,
    ]
    // Who signs in is nobody's business on the way (RFC 6120 §4.7.1).
    if transport.isSecure, !options.user.isEmpty {
      attributes["from"] = "\(options.user)@\(options.domain)"
    }
    try await write(writer.streamHeader(attributes))
    let features = try await next()
    guard features.is("features", Namespace.streams) else {
      throw .protocolViolation("no stream features")
    }
    guard let version = header?["version"], !version.hasPrefix("0") else {
      throw .protocolViolation("the server speaks a version of XMPP before 1.0")
    }
    return StreamFeatures(features)
  }

  func next() async throws(StreamFailure) -> Element {
    while true {
      while let event = events.popFirst() {
        switch event {
        case .opened(let header, _): self.header = header
        case .closed: throw .ended
        case .element(let element):
          if let error = StreamError(element) { throw .stream(error) }
          return element
        }
      }
      events = try await read()[...]
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
    let bytes: [UInt8]?
    do { bytes = try await transport.receive() } catch { throw .socket(error) }
    guard let bytes else { throw .ended }
    do { return try parser.feed(bytes) } catch {
      let place = "\(error.problem.rawValue) at byte \(error.offset)"
      throw header == nil ? .notXMPP(place) : .protocolViolation(place)
    }
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
    guard events.isEmpty else { throw .protocolViolation("data between <proceed/> and TLS") }
    do { transport = try await upgrade(transport) } catch { throw .socket(error) }
  }

  func close() { transport.close() }
}

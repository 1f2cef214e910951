import Crypto
import Sockets

/// The opening of streams, and the requests that need no sign-in.
extension XMPPStream {
  /// Sets up a session over `transport`.
  /// - Parameters:
  ///   - startTLS: makes a TLS connection of a plain one.
  ///   - old: a session to resume; if the server does not have it any more, a new one begins.
  ///   - sleep: for time limits.
  /// - Throws: `StreamFailure`; `transport` is closed then.
  package static func open(
    over transport: any ByteStream, options: StreamOptions, crypto: CryptoLibrary,
    startTLS: @escaping @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream,
    resuming old: StreamResumption? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) async throws(StreamFailure) -> XMPPStream {
    let reader = ElementReader(transport, stanzaLimit: options.stanzaLimit, upgrade: startTLS)
    let negotiated = try await negotiation(options, crypto, reader) {
      negotiator throws(StreamFailure) in try await negotiator.session(resuming: old)
    }
    do {
      return try await XMPPStream.make(negotiated, old, reader, sleep: sleep)
    } catch {
      // A server that miscounts cannot be trusted with acknowledgements (XEP-0198 §6).
      await reader.end()
      throw .protocolViolation(.breach(.acknowledgedTooMuch))
    }
  }

  private static func make(
    _ negotiated: NegotiatedSession, _ old: StreamResumption?, _ reader: ElementReader,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) async throws(StreamManagement.TooHigh) -> XMPPStream {
    let early = await reader.takeEarly()
    switch (negotiated.origin, old) {
    case (.resumed(let h), let old?):
      let (acknowledged, open) = try old.settled(by: h)
      let stream = XMPPStream(
        negotiated, reader, early: early,
        management: StreamManagement(handled: old.handled, sent: h),
        acknowledgedEarlier: acknowledged, sleep: sleep)
      await stream.resume(acknowledged: acknowledged, open: open)
      return stream
    case (.replaced(let h), let old?):
      return XMPPStream(
        negotiated, reader, early: early, acknowledgedEarlier: try old.settled(by: h).acknowledged,
        sleep: sleep)
    default:
      return XMPPStream(negotiated, reader, early: early, sleep: sleep)
    }
  }

  /// Has `steps` done, and the connection closed where they fail or the task is cancelled.
  private static func negotiation<Result: Sendable>(
    _ options: StreamOptions, _ crypto: CryptoLibrary, _ reader: ElementReader,
    _ steps: (StreamNegotiator) async throws(StreamFailure) -> Result
  ) async throws(StreamFailure) -> Result {
    let negotiator = StreamNegotiator(options: options, crypto: crypto, exchange: reader)
    let outcome: Swift.Result<Result, StreamFailure> = await withTaskCancellationHandler {
      do throws(StreamFailure) { return .success(try await steps(negotiator)) } catch {
        return .failure(error)
      }
    } onCancel: {
      reader.transport.close()
    }
    if case .failure = outcome { await reader.end() }
    return try outcome.get()
  }

  /// The features of the server of `options.domain` before the sign-in, once the stream may carry
  /// secrets, and the TLS version (`nil` if none or unknown); the connection is closed afterwards.
  package static func offer(
    over transport: any ByteStream, options: StreamOptions, crypto: CryptoLibrary,
    startTLS: @escaping @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream
  ) async throws(StreamFailure) -> (features: StreamFeatures, tlsVersion: String?) {
    let reader = ElementReader(transport, stanzaLimit: options.stanzaLimit, upgrade: startTLS)
    let features = try await negotiation(options, crypto, reader) {
      negotiator throws(StreamFailure) in try await negotiator.secured()
    }
    let version = reader.transport.tlsVersion
    await reader.end()
    return (features, version)
  }

  /// Returns the registration form of the server of `options.domain`, and closes the connection.
  package static func registration(
    over transport: any ByteStream, options: StreamOptions, crypto: CryptoLibrary,
    startTLS: @escaping @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream
  ) async throws(StreamFailure) -> XEP0077Registration {
    let reader = ElementReader(transport, stanzaLimit: options.stanzaLimit, upgrade: startTLS)
    let form = try await negotiation(options, crypto, reader) {
      negotiator throws(StreamFailure) in try await negotiator.registration()
    }
    await reader.end()
    return form
  }

  /// Makes the account that `options` name; the connection is closed afterwards.
  /// - Parameter onSending: called before the form is sent: from then on the account may exist.
  package static func register(
    over transport: any ByteStream, options: StreamOptions, answers: [String: [String]],
    crypto: CryptoLibrary, onSending: @escaping @Sendable () -> Void = {},
    startTLS: @escaping @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream
  ) async throws(StreamFailure) {
    let reader = ElementReader(transport, stanzaLimit: options.stanzaLimit, upgrade: startTLS)
    try await negotiation(options, crypto, reader) {
      negotiator throws(StreamFailure) in
      try await negotiator.register(answers: answers, onSending: onSending)
    }
    await reader.end()
  }
}

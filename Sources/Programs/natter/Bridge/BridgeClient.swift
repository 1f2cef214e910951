import BridgeService
import JSONLines
import NatterCore

/// The own requests of a command, through the process that answers for the account.
nonisolated struct BridgeClient: Sendable {
  /// The error of a request.
  struct Refusal: Error, Hashable {
    let code: Int
    /// In the user's language where the other end has one.
    let text: String

    /// - Parameter error: the error object of an answer.
    init(_ error: JSONValue?) {
      code = error?["code"]?.int ?? BridgeError.Code.internal.rawValue
      text = error?["data"]?["text"]?.string ?? error?["message"]?.string ?? ""
    }
  }

  /// The connection has ended, and there is no other one.
  struct Lost: Error {}

  /// The other end does not answer.
  struct Silent: Error {}

  private let connection: LineConnection
  private let relaying: Task<Void, any Error>

  /// - Throws: `SocketError` when the process has no descriptors left.
  init(_ upstreams: any BridgeUpstreams) throws {
    let pair = try LineConnection.pair()
    connection = pair.client
    relaying = Task { try await BridgeRelay(pair.server, upstreams).run() }
  }

  /// Says hello.
  func greet() async throws {
    _ = try await ask("hello", .object(["api": .integer(BridgeVersion.current)]), id: 1)
  }

  /// Says hello to a process that may be stopped, as one in the background of a shell.
  /// - Throws: `Silent` without an answer within `limit`; the connection is closed then.
  func greet(within limit: Duration) async throws {
    let timer = Task {
      // Cancelled: there is an answer, or another error.
      do { try await Task.sleep(for: limit) } catch { return false }
      close()
      return true
    }
    defer { timer.cancel() }
    do { try await greet() } catch {
      timer.cancel()
      if await timer.value { throw Silent() }
      throw error
    }
  }

  /// Makes a request, and waits for its result.
  /// - Parameters:
  ///   - id: another one for each request.
  ///   - take: gets the lines that come before the answer.
  /// - Throws: `Refusal`; the error that ended the connection.
  func ask(
    _ method: String, _ parameters: JSONValue, id: Int, _ take: (BridgeEnvelope) -> Void = { _ in }
  ) async throws -> JSONValue {
    connection.send(BridgeEnvelope.request(method, parameters, id: .integer(id)).text)
    while true {
      let answer = try await next()
      guard answer.id == .integer(id), answer.method == nil else {
        take(answer)
        continue
      }
      if let result = answer.result { return result }
      throw Refusal(answer.error)
    }
  }

  /// Cancels an open request, which is answered all the same.
  func cancel(_ id: Int) {
    connection.send(
      BridgeEnvelope.request("cancel", .object(["id": .integer(id)]), id: nil).text)
  }

  /// Waits for the next line of the other end.
  func next() async throws -> BridgeEnvelope {
    for await line in connection.lines {
      if let envelope = BridgeEnvelope(line) { return envelope }
    }
    try Task.checkCancellation()
    try await relaying.value
    throw Lost()
  }

  /// Closes the connection. Nothing more is answered.
  func close() {
    relaying.cancel()
    connection.close()
  }
}

extension ExitCode {
  /// The exit code for an error of the bridge.
  nonisolated init(bridgeError code: Int) {
    self =
      switch BridgeError.Code(rawValue: code) {
      case .parameters, .unknownMethod, .envelope: .usage
      case .permission: .noPermission
      case .notFound, .refused: .failed
      case .offline: .unavailable
      case .tooFast, .timedOut, .cancelled, .busy: .temporary
      case .version, .tooLarge, .parse: .badData
      case .internal, .greeting, nil: .internalError
      }
  }
}

import BridgeService
import Crypto
import JSONLines
import NatterCore

/// The processes that answer for an account, one after the other.
nonisolated protocol BridgeUpstreams: Sendable {
  /// Waits for a connection to the one that answers now.
  /// - Throws: the reason why there is none for good.
  func connection() async throws -> LineConnection
}

/// Passes the lines of one client to the process that answers for the account, and goes on with
/// another one when that ends: requests without an answer are made again, subscriptions go on after
/// the last event.
actor BridgeRelay {
  /// The methods that no program with a name can call.
  private static let endingMethods = Set(
    BridgeMethod.all.filter { $0.permission == .control }.map(\.name))
  /// The most lines in a row that are no JSON.
  private static let maximumMistakes = 20

  private let client: LineConnection
  private let upstreams: any BridgeUpstreams
  /// The program whose rights the client has; `nil`: it has those of the user.
  private let name: String?
  private let texts: BridgeError.Texts
  private let pause: @Sendable () async throws -> Void
  /// Begins the ids of the relay's own requests.
  private let prefix = "relay-\(randomIdentifier(byteCount: 6))-"
  /// Follows `prefix` in the ids of the client's notifications.
  private static let notification = "n"
  private var lastNotification = 0

  private var upstream: LineConnection?
  /// Lines that are to be sent to a new connection before any other; `nil`: they are sent.
  private var replay: [BridgeEnvelope]?
  /// The parameters with which the client has said hello.
  private var greeting: JSONValue?
  private var pending: [(key: String, request: BridgeEnvelope)] = []
  private var subscriptions = RelayedSubscriptions()
  /// The client's subscriptions that are being renewed, by the id of the request.
  private var renewals: [String: String] = [:]
  private var mistakes = 0
  private var hasClientEnded = false
  private var pumping: Task<Void, any Error>?

  /// - Parameters:
  ///   - pause: comes before the next connection if one ends without a line.
  ///   - texts: of the relay's own errors.
  init(
    _ client: LineConnection, _ upstreams: any BridgeUpstreams, as name: String? = nil,
    pause: @escaping @Sendable () async throws -> Void = BridgeRelay.shortPause,
    texts: @escaping BridgeError.Texts = { $0.key }
  ) {
    self.client = client
    self.upstreams = upstreams
    self.name = name
    self.texts = texts
    self.pause = pause
  }

  /// Waits a moment.
  /// - Throws: `CancellationError`.
  @Sendable static func shortPause() async throws {
    try await Task.sleep(for: .milliseconds(200))
  }

  /// Serves the client until it ends, and all its requests are answered.
  /// - Throws: the error of `upstreams` if that ended it.
  func run() async throws {
    let pumping = Task { try await self.pump() }
    self.pumping = pumping
    try await withTaskCancellationHandler {
      for await line in client.lines { await take(line) }
      hasClientEnded = true
      finishIfIdle()
      do { try await pumping.value } catch is CancellationError {}
      client.close()
    } onCancel: {
      pumping.cancel()
    }
  }

  private func finishIfIdle() {
    guard hasClientEnded, pending.isEmpty || !client.isOpen else { return }
    upstream?.close()
    pumping?.cancel()
  }

  // MARK: From the client

  private func take(_ line: LineSplitter.Line) async {
    let value: JSONValue?
    switch line {
    case .line(let bytes): value = try? JSONValue(parsing: bytes)
    case .tooLong: value = nil
    }
    guard let value else {
      mistakes += 1
      refuse(BridgeError(.parse))
      if mistakes >= Self.maximumMistakes { client.close() }
      return
    }
    mistakes = 0
    guard case .object(let members) = value else {
      return refuse(BridgeError(.envelope, "a request is an object"))
    }
    var envelope = BridgeEnvelope(members)
    guard let method = envelope.method else {
      // An answer to a question of the other end.
      if envelope.result != nil || envelope.error != nil { return await pass(envelope) }
      return refuse(BridgeError(.envelope, "method is missing"), envelope.id)
    }
    if !envelope.hasID {
      // It is passed on like a request, so that it waits for a process, too. Its answer is dropped.
      lastNotification += 1
      envelope = envelope.with(id: .text("\(prefix)\(Self.notification)\(lastNotification)"))
    }
    guard let id = envelope.id else {
      return refuse(BridgeError(.envelope, "the id is not valid"))
    }
    guard let refusal = refusal(of: id, method) else { return await take(envelope, id, method) }
    if !isOwn(id) { refuse(refusal, id) }
  }

  /// Indicates whether the relay made the id.
  private func isOwn(_ id: JSONValue) -> Bool { id.string?.hasPrefix(prefix) == true }

  private func refuse(_ error: BridgeError, _ id: JSONValue? = nil) {
    client.send(BridgeEnvelope.error(error, id: id ?? .null, texts).text)
  }

  private func refusal(of id: JSONValue, _ method: String) -> BridgeError? {
    if name != nil, Self.endingMethods.contains(method) {
      return .permission(.control, .notDeclared)
    }
    if pending.count >= BridgeLimits.open { return .tooFast(.milliseconds(100)) }
    if pending.contains(where: { $0.key == id.text }) {
      return BridgeError(.envelope, "a request with this id is open")
    }
    return nil
  }

  private func take(_ envelope: BridgeEnvelope, _ id: JSONValue, _ method: String) async {
    var envelope = envelope
    if method == "hello", let name { envelope = envelope.with("as", .text(name), in: "params") }
    // A message that was stored before its answer was lost is not stored again.
    if method == "messages.send", envelope.parameter("request_id") == nil {
      envelope = envelope.with(
        "request_id", .text(randomIdentifier(byteCount: 16)), in: "params")
    }
    pending.append((id.text, envelope))
    await pass(envelope)
  }

  /// Sends a line to the other end, after those that are to be sent before it. Without one, only
  /// requests and notifications wait for the next.
  private func pass(_ envelope: BridgeEnvelope) async {
    guard let upstream else { return }
    if replay != nil {
      replay?.append(envelope)
    } else {
      await upstream.sendInTurn(subscriptions.translated(envelope).text)
    }
  }

  // MARK: From the other end

  private func pump() async throws {
    do {
      while true {
        let connection = try await upstreams.connection()
        try Task.checkCancellation()
        await attach(connection)
        var isServed = false
        for await line in connection.lines {
          isServed = true
          await receive(line)
        }
        connection.close()
        upstream = nil
        subscriptions.connectionEnded()
        renewals = [:]
        try Task.checkCancellation()
        // A process with too many clients, or one that ends, closes connections at once.
        if !isServed { try await pause() }
      }
    } catch {
      upstream?.close()
      upstream = nil
      // The client is not read any more.
      client.close()
      throw error
    }
  }

  /// Makes a new connection what the old one was to the client.
  private func attach(_ connection: LineConnection) async {
    upstream = connection
    endSubscriptions()
    var lines: [BridgeEnvelope] = []
    let isGreeting = pending.contains { $0.request.method == "hello" }
    if let greeting, !isGreeting {
      lines.append(.request("hello", greeting, id: .text(prefix + "hello")))
    }
    for (number, renewal) in subscriptions.renewals.enumerated() {
      let id = "\(prefix)\(number)"
      renewals[id] = renewal.name
      lines.append(.request("events.subscribe", renewal.parameters, id: .text(id)))
    }
    replay = lines + pending.map(\.request)
    while let next = replay?.first {
      replay?.removeFirst()
      await connection.sendInTurn(subscriptions.translated(next).text)
    }
    replay = nil
  }

  /// Ends those subscriptions whose end the last connection has not confirmed.
  private func endSubscriptions() {
    for (_, request) in pending where request.method == "events.unsubscribe" {
      subscriptions.end(request)
      if let id = request.id, !isOwn(id) {
        client.send(BridgeEnvelope.result(.object([:]), id: id).text)
      }
    }
    pending.removeAll { $0.request.method == "events.unsubscribe" }
  }

  private func receive(_ line: LineSplitter.Line) async {
    guard let envelope = BridgeEnvelope(line) else { return }
    if envelope.method != nil {
      if let event = subscriptions.received(envelope) { await client.sendInTurn(event.text) }
      return
    }
    guard let id = envelope.id else {
      await client.sendInTurn(envelope.text)
      return
    }
    guard let index = pending.firstIndex(where: { $0.key == id.text }) else {
      if let own = id.string, isOwn(id) { await renewed(envelope, own) }
      return
    }
    let request = pending.remove(at: index).request
    var answer = envelope
    if envelope.error == nil {
      switch request.method {
      case "hello": greeting = request.parameters ?? .object([:])
      case "events.subscribe": answer = subscriptions.begin(envelope, to: request)
      case "events.unsubscribe": subscriptions.end(request)
      default: break
      }
    }
    if !isOwn(id) { await client.sendInTurn(answer.text) }
    finishIfIdle()
  }

  /// Takes the answer to a request of the relay.
  private func renewed(_ answer: BridgeEnvelope, _ id: String) async {
    guard let name = renewals.removeValue(forKey: id), !subscriptions.renew(name, answer) else {
      return
    }
    let ended = BridgeEnvelope.request(
      "event.ended", .object(["subscription": .text(name)]), id: nil)
    await client.sendInTurn(ended.text)
  }
}

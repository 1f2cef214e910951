import Crypto
import Foundation
import Sockets
import XML
import XMPP

/// A client for tests that adds nothing of XMPP by itself: it sends what the test wrote.
final class RawXMPPClient {
  enum Failure: Error {
    /// Nothing of the kind came in time; what came instead.
    case missing(String, seen: [String])
    case ended
  }

  let socket: PlainSocket
  private var parser = XMLStreamParser(stanzaLimit: 1 << 24)
  private var waiting: [XMLStreamEvent] = []
  private var hasEnded = false
  private var lastID = 0
  private(set) var header: Element?
  private(set) var jid = ""
  private(set) var account = ""

  init(_ socket: PlainSocket) { self.socket = socket }

  // MARK: Bytes

  func send(_ text: String) async throws { try await socket.send(Array(text.utf8)) }
  func send(_ element: Element) async throws { try await socket.send(XMLWriter().bytes(element)) }

  func close() { socket.close() }

  /// Waits for the next event that `isWanted` likes; others that come before it stay for later.
  func next(
    _ what: String, within limit: Duration = .seconds(20), where isWanted: (XMLStreamEvent) -> Bool
  ) async throws -> XMLStreamEvent {
    let deadline = ContinuousClock.now + limit
    while true {
      if let index = waiting.firstIndex(where: isWanted) { return waiting.remove(at: index) }
      guard !hasEnded else { throw Failure.missing(what, seen: seen + ["(end)"]) }
      guard let bytes = try await receive(until: deadline) else {
        throw Failure.missing(what, seen: seen)
      }
      if bytes.isEmpty { hasEnded = true } else { waiting += try parser.feed(bytes) }
    }
  }

  private var seen: [String] {
    waiting.map { if case .element(let element) = $0 { element.description } else { "\($0)" } }
  }

  /// Bytes; none at the end of the stream; `nil` when the time is over.
  private func receive(until deadline: ContinuousClock.Instant) async throws -> [UInt8]? {
    let socket = socket
    return await withTaskGroup(of: [UInt8]??.self) { group in
      group.addTask { .some((try? await socket.receive()) ?? []) }
      group.addTask {
        try? await Task.sleep(until: deadline)
        return .none
      }
      let first = await group.next() ?? .none
      group.cancelAll()
      if case .some(let bytes) = first { return bytes }
      return nil
    }
  }

  /// Reads everything there is until the server closes, without understanding it.
  func drain(within limit: Duration = .seconds(20)) async throws -> Int {
    let deadline = ContinuousClock.now + limit
    var count = 0
    while let bytes = try await receive(until: deadline) {
      if bytes.isEmpty { return count }
      count += bytes.count
    }
    throw Failure.missing("the end of the connection", seen: [])
  }

  // MARK: Elements

  func element(
    _ what: String, within limit: Duration = .seconds(20),
    where isWanted: (Element) -> Bool = { _ in true }
  ) async throws -> Element {
    let event = try await next(what, within: limit) {
      if case .element(let element) = $0 { isWanted(element) } else { false }
    }
    guard case .element(let element) = event else { throw Failure.ended }
    return element
  }

  func message(
    _ what: String = "a message", where isWanted: (Element) -> Bool = { _ in true }
  ) async throws -> Element {
    try await element(what) { $0.name == "message" && isWanted($0) }
  }

  /// The next message with this body.
  func message(body: String) async throws -> Element {
    try await message("the message \(body)") {
      $0.first("body", Namespace.client)?.text == body
    }
  }

  func presence(
    _ type: String?, from: String? = nil
  ) async throws -> Element {
    try await element("presence \(type ?? "available") from \(from ?? "anybody")") {
      $0.name == "presence" && $0["type"] == type && (from == nil || $0["from"] == from)
    }
  }

  func streamError() async throws -> StreamError {
    let element = try await element("a stream error") { $0.is("error", Namespace.streams) }
    guard let error = StreamError(element) else { throw Failure.ended }
    return error
  }

  /// Asks, and waits for the answer.
  func ask(_ type: String, to: String? = nil, _ payload: Element?) async throws -> Element {
    lastID += 1
    let id = "ask-\(lastID)"
    var iq = Element("iq", Namespace.client, ["type": type, "id": id])
    iq["to"] = to
    if let payload { iq.append(payload) }
    try await send(iq)
    return try await element("the answer to \(payload?.name ?? "nothing")") {
      $0.name == "iq" && $0["id"] == id && ($0["type"] == "result" || $0["type"] == "error")
    }
  }

  /// Waits until the server has followed everything that was sent before.
  func catchUp() async throws {
    _ = try await ask("get", to: "localhost", Element("ping", Namespace.ping))
  }

  /// Everything that has come and was not asked for yet, up to now.
  func rest() async throws -> [Element] {
    try await catchUp()
    defer { waiting = [] }
    return waiting.compactMap { if case .element(let element) = $0 { element } else { nil } }
  }

  // MARK: The way in

  @discardableResult
  func open(to domain: String = "localhost") async throws -> Element {
    parser.reset()
    try await send(
      "<?xml version='1.0'?><stream:stream xmlns='jabber:client' to='\(domain)' version='1.0' "
        + "xmlns:stream='http://etherx.jabber.org/streams'>")
    let event = try await next("a header") { if case .opened = $0 { true } else { false } }
    if case .opened(let header, _) = event { self.header = header }
    return try await element("features") { $0.name == "features" }
  }

  func register(
    _ name: String, password: String = "secret", key: String? = nil
  ) async throws -> Element {
    try await ask(
      "set", nil,
      Element(
        "query", Namespace.register, [:],
        [
          Element("username", Namespace.register, text: name),
          Element("password", Namespace.register, text: password),
        ] + (key.map { [Element("key", Namespace.register, text: $0)] } ?? [])))
  }

  private func ask(_ type: String, _ to: String?, _ payload: Element) async throws -> Element {
    try await ask(type, to: to, payload)
  }

  /// PLAIN; `nil` is success.
  func authenticate(_ name: String, password: String = "secret") async throws -> String? {
    let text = Base64.encode(Array("\0\(name)\0\(password)".utf8))
    try await send(Element("auth", Namespace.sasl, ["mechanism": "PLAIN"], text: text))
    let answer = try await element("the outcome of signing in") { $0.namespace == Namespace.sasl }
    return answer.name == "success" ? nil : answer.elements.first?.name ?? "failure"
  }

  func bind(_ resource: String?) async throws -> Element {
    var bind = Element("bind", Namespace.bind)
    if let resource { bind.append(Element("resource", Namespace.bind, text: resource)) }
    let answer = try await ask("set", to: nil, bind)
    jid =
      answer.first("bind", Namespace.bind)?.first("jid", Namespace.bind)?.text ?? ""
    return answer
  }

  func authenticateAndReopen(_ name: String, password: String = "secret") async throws {
    if let failure = try await authenticate(name, password: password) {
      throw Failure.missing("success", seen: [failure])
    }
    try await open()
  }

  func signIn(_ name: String, resource: String?, registering: Bool) async throws {
    try await open()
    if registering { _ = try await register(name) }
    try await authenticateAndReopen(name)
    _ = try await bind(resource)
    account = name
  }

  func becomeAvailable(priority: Int = 0) async throws {
    let text = priority == 0 ? "" : "<priority>\(priority)</priority>"
    try await send("<presence>\(text)</presence>")
    try await catchUp()
  }

  func roster() async throws -> [String: String] {
    let answer = try await ask("get", to: nil, Element("query", Namespace.roster))
    return items(in: answer)
  }

  func items(in iq: Element) -> [String: String] {
    var items: [String: String] = [:]
    for item in iq.first("query", Namespace.roster)?.elements ?? [] {
      items[item["jid"] ?? ""] = item["subscription"]
    }
    return items
  }

  func say(_ body: String, to: String, type: String = "chat", id: String = "m") async throws {
    try await send(
      Element(
        "message", Namespace.client, ["type": type, "to": to, "id": id],
        [Element("body", Namespace.client, text: body)]))
  }

  /// The names of the error conditions in a stanza of type error.
  static func condition(_ stanza: Element) -> String? {
    stanza["type"] == "error"
      ? stanza.first("error", Namespace.client)?.elements.first?.name : nil
  }
}

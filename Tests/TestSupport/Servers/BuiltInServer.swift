import Foundation
import Synchronization

/// Natter's own server (`natter --local-server`), its data in a folder of its own.
package final class BuiltInServer: XMPPServer {
  /// The state that such a server writes to its folder.
  package struct State: Decodable, Sendable {
    /// Its process.
    package let pid: pid_t
    /// Where it speaks XMPP, in the clear, on this machine.
    package let port: UInt16
    /// The proof that a user who creates an account can read the server's files.
    package let ownerKey: String?

    /// `nil` until one has taken connections in that folder. One that was killed leaves its word
    /// behind.
    package init?(in folder: URL) {
      guard let data = try? Data(contentsOf: folder.appending(path: "server.json")),
        let state = try? JSONDecoder().decode(State.self, from: data)
      else { return nil }
      self = state
    }
  }

  package let domain = "localhost"
  package let port: UInt16
  /// It never leaves this machine, so it has none.
  package let encryption: ServerEncryption? = nil
  package let partPort: UInt16? = nil
  private let home: Home
  private let isHousehold: Bool
  private let run: Mutex<ServerRun?>
  /// A connection that stays open: without it the server would end with its last client.
  private let keeper = Mutex<Int32?>(nil)

  /// Starts it, and returns when it takes connections.
  /// - Parameters:
  ///   - users: accounts it begins with, name and password.
  ///   - isHousehold: as at home: its accounts are on each other's lists from the start, and it
  ///     ends when its last client has left. Else accounts are strangers to each other and it
  ///     stays, as other servers do.
  /// - Throws: `Programs.Missing`, `ServerStartError`.
  package init(users: [String: String] = [:], isHousehold: Bool = false) async throws {
    let home = try Home()
    let (first, state) = try await Self.start(in: home)
    self.home = home
    self.isHousehold = isHousehold
    port = state.port
    run = Mutex(first)
    // Between one client and the next it must not be alone.
    let anchor = try LoopbackSocket.connect(to: port)
    defer { close(anchor) }
    if !isHousehold {
      // With more than fifty accounts, it introduces new ones to no others.
      for part in 0..<4 {
        try await register((0..<13).map { ("resident\(part)-\($0)", Self.keeperPassword) })
      }
      try await keep()
    }
    for (name, password) in users { try await addUser(name, password: password) }
  }

  package func addUser(_ name: String, password: String) async throws {
    try await register([(name, password)])
    if !isHousehold { try await dismissGuide(of: name, password) }
  }

  package func stop() async { await end(SIGTERM) }
  package func kill() async { await end(SIGKILL) }

  package func restart() async throws {
    await stop()
    let (started, state) = try await Self.start(in: home)
    run.withLock { $0 = started }
    guard state.port == port else {
      throw ServerStartError(name: "built-in server", log: "port \(port) is taken\n" + logTail)
    }
    if !isHousehold { try await keep() }
  }

  package var logTail: String { tail(home.folder.path("server.log")) }

  private func end(_ number: Int32) async {
    let current = run.withLock { current in
      defer { current = nil }
      return current
    }
    await current?.child.stop(number)
    let connection = keeper.withLock { connection in
      defer { connection = nil }
      return connection
    }
    if let connection { close(connection) }
  }

  private static func start(in home: Home) async throws -> (ServerRun, State) {
    let folder = home.folder
    let started = try ServerRun(
      Programs.natter, ["--local-server", folder.path("server")],
      environment: home.environment(), directory: home.home.path,
      output: folder.path("server.log"))
    let state: @Sendable () -> State? = {
      State(in: folder.url("server")).flatMap { $0.pid == started.child.identifier ? $0 : nil }
    }
    let isUp = await started.waits(upTo: .seconds(30)) {
      state().map { ServerRun.answers($0.port) } ?? false
    }
    guard isUp, let state = state() else {
      throw ServerStartError(name: "built-in server", log: tail(folder.path("server.log")))
    }
    return (started, state)
  }

  // MARK: Accounts

  private static let keeperPassword = "geheim"

  private var header: String {
    "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' to='\(domain)' version='1.0'>"
  }

  /// Signs in with the connection that stays open.
  private func keep() async throws {
    let connection = try await signIn("resident0-0", Self.keeperPassword)
    keeper.withLock { $0 = connection }
  }

  /// Has an account meet the guide, and part from it for good: other servers have none.
  private func dismissGuide(of name: String, _ password: String) async throws {
    let connection = try await signIn(name, password)
    defer { close(connection) }
    func archives(_ choice: String, id: String) -> String {
      "<iq type='set' id='\(id)'><prefs xmlns='urn:xmpp:mam:2' default='\(choice)'><always/><never/></prefs></iq>"
    }
    try await Self.talk(
      """
      \(archives("never", id: "one"))<presence/>\
      <iq type='set' id='two'><query xmlns='jabber:iq:roster'>\
      <item jid='natter@localhost' subscription='remove'/></query></iq>\
      \(archives("always", id: "three"))<presence type='unavailable'/></stream:stream>
      """, over: connection, until: "</stream:stream>")
  }

  /// - Returns: a connection with a session.
  private func signIn(_ name: String, _ password: String) async throws -> Int32 {
    let secret = Data("\0\(name)\0\(password)".utf8).base64EncodedString()
    let connection = try LoopbackSocket.connect(to: port)
    do {
      try await Self.talk(
        header
          + "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(secret)</auth>",
        over: connection, until: "<success")
      try await Self.talk(
        header + "<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>",
        over: connection, until: "<jid>")
    } catch {
      close(connection)
      throw error
    }
    return connection
  }

  /// The key for new accounts.
  package var ownerKey: String? { State(in: home.folder.url("server"))?.ownerKey }

  /// Makes accounts as newcomers do (XEP-0077), all on one connection: it takes 20 requests on
  /// each.
  private func register(_ accounts: [(name: String, password: String)]) async throws {
    let key = ownerKey ?? ""
    let requests = accounts.enumerated().map { number, account in
      """
      <iq type='set' id='r\(number)'><query xmlns='jabber:iq:register'>\
      <username>\(Self.escaped(account.name))</username>\
      <password>\(Self.escaped(account.password))</password><key>\(key)</key></query></iq>
      """
    }
    let connection = try LoopbackSocket.connect(to: port)
    defer { close(connection) }
    for (number, request) in requests.enumerated() {
      try await Self.talk(
        (number == 0 ? header : "") + request, over: connection,
        until: "'r\(number)'")
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }

  /// Says all of `text`, and listens for `expected`.
  /// - Throws: `ServerStartError` with what came instead: an error, the end, nothing for a minute.
  private static func talk(_ text: String, over connection: Int32, until expected: String)
    async throws
  {
    let heard = await withCheckedContinuation { continuation in
      // A thread of its own may wait.
      Thread.detachNewThread {
        continuation.resume(returning: listen(text, connection, expected))
      }
    }
    guard heard.contains(expected), !heard.contains("type='error'") else {
      throw ServerStartError(name: "an account of the built-in server", log: heard)
    }
  }

  private static func listen(_ text: String, _ connection: Int32, _ expected: String) -> String {
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let bytes = Array(text.utf8)
    guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      return "not sent"
    }
    var heard = ""
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while !heard.contains(expected) {
      let length = recv(connection, &buffer, buffer.count, 0)
      if length < 0 && errno == EINTR { continue }
      guard length > 0 else { break }
      heard += String(decoding: buffer[..<length], as: UTF8.self)
    }
    return heard
  }
}

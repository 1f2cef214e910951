import Foundation
import TestSupport
import Testing

/// One server of each kind for all the tests of a suite; each test has accounts of its own.
struct SharedServers: SuiteTrait, TestScoping {
  @TaskLocal private static var running: [ServerKind: any XMPPServer] = [:]

  /// The suite's own server of this kind.
  struct NotStarted: Error {}

  static func server(_ kind: ServerKind) throws -> any XMPPServer {
    guard let server = running[kind] else { throw NotStarted() }
    return server
  }

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    var options = XMPPServerOptions()
    options.allowsRegistration = true
    options.uploadLimit = 10 << 20
    var servers: [ServerKind: any XMPPServer] = [:]
    for kind in ServerKind.allCases { servers[kind] = try await kind.start(options, users: [:]) }
    let running = servers
    let result: Result<Void, any Error>
    do {
      try await Self.$running.withValue(running) { try await function() }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    for server in running.values { await server.stop() }
    try result.get()
  }
}

extension Trait where Self == SharedServers {
  /// Starts the servers before the suite's first test and ends them after its last.
  static var sharedServers: Self { SharedServers() }
}

extension SlixmppPeer {
  /// Asks its own or another server, again for as long as that says to wait: ejabberd does where
  /// several make nodes at the same moment.
  /// - Returns: the whole answer, be it an error.
  func insist(_ type: String, _ payload: String, of jid: String = "") async throws -> String {
    let limit = ContinuousClock.now + Duration.seconds(60).withPatience
    while true {
      let answer = try await ask(type, payload, of: jid)
      guard answer.contains("internal-server-error"), ContinuousClock.now < limit else {
        return answer
      }
    }
  }
}

/// An account of a server that no other test has.
struct TestAccount: Sendable {
  let name: String
  let password: String
  let server: any XMPPServer
  var jid: String { server.jid(name) }

  /// Makes it, on the suite's own server of this kind.
  init(_ name: String, on kind: ServerKind, password: String = "geheim ü 1") async throws {
    try await self.init(name, on: try SharedServers.server(kind), password: password)
  }

  init(_ name: String, on server: any XMPPServer, password: String = "geheim ü 1") async throws {
    self.init(unregistered: name, on: server, password: password)
    try await server.addUser(self.name, password: password)
  }

  /// A name that is free.
  init(unregistered name: String, on server: any XMPPServer, password: String) {
    self.name = UniqueName.next(name)
    self.password = password
    self.server = server
  }

  func natter(security: NatterRun.Security = .starttls, home: Home? = nil, rows: Int = 30) throws
    -> NatterRun
  {
    try NatterRun.account(jid, password, on: server, security: security, home: home, rows: rows)
  }

  func slixmpp(security: SlixmppPeer.Security = .starttls) async throws -> SlixmppPeer {
    try await SlixmppPeer(jid, password: password, server: server, security: security)
  }
}

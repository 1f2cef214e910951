import Foundation

/// A private XMPP server on loopback, as tests see it: Prosody, ejabberd or the built-in one.
package protocol XMPPServer: Sendable {
  /// The main domain, for which its certificate is good. It is not in any DNS: clients need the
  /// host and the port.
  var domain: String { get }
  /// Where it takes connections that begin in the clear.
  var port: UInt16 { get }
  /// The encryption; `nil`: none.
  var encryption: ServerEncryption? { get }

  /// Makes an account.
  func addUser(_ name: String, password: String) async throws
  /// Ends it as an operator does.
  func stop() async
  /// SIGKILL: nothing is saved.
  func kill() async
  /// Starts it again on the same ports with what it has kept.
  func restart() async throws
  /// Where parts come that are not of its own program (XEP-0114); `nil`: nowhere.
  var partPort: UInt16? { get }
  /// The end of its log, for messages of failed tests.
  var logTail: String { get }
}

extension XMPPServer {
  package var host: String { "127.0.0.1" }
  /// `127.0.0.1:PORT`, for `--server`.
  package var address: String { "\(host):\(port)" }
  /// The PEM file of the authority that has to be trusted.
  /// - Throws: `NotEncrypted`.
  package var certificate: String {
    get throws {
      guard let encryption else { throw NotEncrypted() }
      return encryption.certificate
    }
  }
  package func jid(_ name: String) -> String { "\(name)@\(domain)" }
}

/// The error when a test requests TLS from a server that has none.
package struct NotEncrypted: Error {}

/// TLS of a server.
package struct ServerEncryption: Sendable {
  /// Where it speaks TLS from the first byte (XEP-0368).
  package let directPort: UInt16
  /// The PEM file of the authority that has to be trusted.
  package let certificate: String
}

/// The options of a server.
package struct XMPPServerOptions: Hashable, Sendable {
  /// Indicates whether new users can create accounts (XEP-0077).
  package var allowsRegistration = false
  /// Indicates whether a client has to use TLS.
  package var requiresEncryption = true
  /// Offers SCRAM-SHA-256 instead of SCRAM-SHA-1.
  package var usesSHA256 = false
  /// Indicates whether TLS 1.2 is the newest supported version.
  package var isLimitedToTLS12 = false
  /// Mechanisms that it does not offer.
  package var withheldMechanisms: [String] = []
  /// Seconds that a lost session can be resumed.
  package var resumptionTime = 600
  /// Prosody: also serves expired.test, wronghost.test, selfsigned.test, with such certificates.
  package var hasBadCertificates = false
  /// Archives that are fast when they are long, and complete after `kill -9`; else the server's own
  /// form.
  package var keepsArchivesInSQLite = false
  /// ejabberd: how many offline messages it stores for an account.
  package var offlineLimit = 5000
  /// Takes files by HTTPS at `localhost` (XEP-0363), up to this many bytes; 0: none.
  package var uploadLimit = 0
  /// ejabberd: the port where it says that it takes and gives files, when that is another one than
  /// its own.
  package var uploadPort: UInt16?
  /// Prosody: signing in and everything after it in one step (SASL2, Bind 2, FAST, inline
  /// resumption).
  package var hasOneStepLogin = false
  /// Signing in with tokens: ejabberd's own `/oauth/token` and X-OAUTH2; for Prosody a token
  /// endpoint and OAUTHBEARER by a plugin of the tests.
  package var hasTokens = false
  /// Seconds that such a token lives.
  package var tokenLifetime = 3600
  /// ejabberd: newcomers have to type what a picture shows (XEP-0158).
  package var asksForCAPTCHA = false
  /// Takes a part that is no part of its own program (XEP-0114): `search.` before its domain, with
  /// the secret `secret`.
  package var hasSearchPart = false
  /// The file of configuration that natter-server(7) shows; its example's domain, files and ports
  /// become those of the test.
  package var manual: String?
  /// ejabberd: its name as a node of a cluster, `NAME@127.0.0.1`, and the port of the cluster's
  /// epmd.
  package var node: String?
  package var epmdPort: UInt16 = 0
  package init() {}
}

/// A server that did not come up, with the end of what it said.
package struct ServerStartError: Error, CustomStringConvertible {
  package let name: String
  package let log: String
  package var description: String { "\(name) did not start:\n\(log)" }
}

/// One run of a server program, its output in a file.
struct ServerRun: Sendable {
  let child: ChildProcess
  let output: String

  init(
    _ program: String, _ arguments: [String], environment: [String: String], directory: String,
    output: String
  ) throws {
    self.output = output
    let log = open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer {
      close(log)
      close(null)
    }
    child = try ChildProcess(
      program, arguments, environment: environment, directory: directory,
      descriptors: (null, log, log))
  }

  /// Waits until `isReady`; a server offers nothing to wait on, so this asks again and again.
  func waits(upTo limit: Duration, until isReady: () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + limit.withPatience
    while ContinuousClock.now < deadline, child.status == nil {
      if isReady() { return true }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return isReady()
  }

  static func answers(_ port: UInt16) -> Bool {
    guard let descriptor = try? LoopbackSocket.connect(to: port) else { return false }
    close(descriptor)
    return true
  }
}

/// The last lines of a file.
func tail(_ path: String, lines: Int = 30) -> String {
  let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  return text.split(separator: "\n").suffix(lines).joined(separator: "\n")
}

/// A database for a server's archive, with a write-ahead log so that reading does not wait for
/// writing.
enum SQLiteFile {
  /// - Parameter schema: a file of SQL statements.
  static func make(_ path: String, schema: String? = nil) async throws {
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      db.execute("PRAGMA journal_mode = WAL")
      for schema in sys.argv[2:]: db.executescript(open(schema).read())
      """
    try await CommandRun.check(
      "/usr/bin/python3", ["-c", script, path] + (schema.map { [$0] } ?? []))
  }
}

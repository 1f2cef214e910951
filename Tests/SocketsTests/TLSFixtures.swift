import Foundation
import Glibc
import Synchronization
import Testing

@testable import Sockets

/// The `openssl` command, which makes the certificates and serves TLS in these tests.
enum OpenSSL {
  static var path: String? {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return folders.split(separator: ":").map { $0 + "/openssl" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Indicates whether these tests can run; where they must (`NATTER_REQUIRE_SERVERS=1`) they run
  /// and fail.
  static var isThere: Bool {
    path != nil || ProcessInfo.processInfo.environment["NATTER_REQUIRE_SERVERS"] == "1"
  }

  static func process(_ arguments: [String], in folder: String) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: try #require(path, "no openssl command in PATH"))
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: folder)
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    return process
  }

  static func run(_ arguments: String..., in folder: String) async throws {
    let process = try process(arguments, in: folder)
    let ended = OneShot<CInt>()
    process.terminationHandler = { ended.settle($0.terminationStatus) }
    try process.run()
    try #require(await ended.value() == 0, "openssl \(arguments.joined(separator: " "))")
  }
}

/// An authority that is not trusted, and its certificates.
final class CertificateAuthority {
  private let directory: TemporaryDirectory

  init() async throws {
    directory = try TemporaryDirectory()
    let settings = """
      [ca]
      default_ca = here
      [here]
      database = index.txt
      serial = serial
      new_certs_dir = .
      default_md = sha256
      default_days = 30
      policy = any
      copy_extensions = copy
      unique_subject = no
      [any]
      commonName = supplied
      """
    try Data(settings.utf8).write(to: URL(filePath: file("ca.cnf")))
    try Data().write(to: URL(filePath: file("index.txt")))
    try Data("01\n".utf8).write(to: URL(filePath: file("serial")))
    try await key("ca")
    try await OpenSSL.run(
      "req", "-x509", "-new", "-key", "ca.key", "-sha256", "-days", "30", "-subj",
      "/CN=An authority of a test", "-addext", "basicConstraints=critical,CA:TRUE", "-out",
      "ca.crt", in: path)
  }

  var path: String { directory.path }
  /// The authority's own certificate.
  var file: String { file("ca.crt") }
  func file(_ name: String) -> String { directory.file(name) }

  private func key(_ name: String) async throws {
    try await OpenSSL.run(
      "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "\(name).key", in: path)
  }

  /// Makes `NAME.key` and a `NAME.crt` that this authority signed.
  /// - Parameter names: as in `subjectAltName`: "DNS:natter.test,IP:127.0.0.1".
  /// - Parameter validity: first and last moment, as `openssl ca` wants them; the next 30 days when
  ///   left out.
  /// - Parameter digest: the hash that is signed, as openssl calls it.
  func sign(
    _ name: String, for names: String, validity: (from: String, to: String)? = nil,
    digest: String = "sha256"
  ) async throws {
    try await key(name)
    try await OpenSSL.run(
      "req", "-new", "-key", "\(name).key", "-subj", "/CN=\(name)", "-addext",
      "subjectAltName=\(names)", "-out", "\(name).csr", in: path)
    if let validity {
      try await OpenSSL.run(
        "ca", "-batch", "-config", "ca.cnf", "-cert", "ca.crt", "-keyfile", "ca.key", "-startdate",
        validity.from, "-enddate", validity.to, "-in", "\(name).csr", "-out", "\(name).crt",
        "-notext", in: path)
    } else {
      try await OpenSSL.run(
        "ca", "-batch", "-config", "ca.cnf", "-md", digest, "-cert", "ca.crt", "-keyfile",
        "ca.key", "-in",
        "\(name).csr", "-out", "\(name).crt", "-notext", in: path)
    }
  }

  /// Makes `NAME.key` and a `NAME.crt` that nobody but itself signed.
  func signItself(_ name: String, for names: String) async throws {
    try await key(name)
    try await OpenSSL.run(
      "req", "-x509", "-new", "-key", "\(name).key", "-days", "30", "-subj", "/CN=\(name)",
      "-addext", "subjectAltName=\(names)", "-out", "\(name).crt", in: path)
  }
}

/// A TLS server on a loopback port: `openssl s_server` behind a relay of the tests, which also
/// knows STARTTLS.
///
/// What the server receives it sends back, unless `arguments` make it do something else.
final class TLSPeer: Sendable {
  let port: Int
  private let listener: ListeningSocket
  private let process: Mutex<Process>
  private let reserved: RefusingPort
  private let acceptance: Task<Void, Never>
  private let connections = Mutex<[PlainSocket]>([])

  init(
    _ authority: CertificateAuthority, certificate: String, startTLS: Bool = false,
    arguments: [String] = [], at listenAddress: ListeningSocket.Address = .ipv4Loopback(port: 0)
  ) throws {
    // Bound, so that nobody else gets the port, but not listening, so that the server can.
    let reserved = try RefusingPort()
    // Before there is a process that would have to be ended, if it fails.
    let listener = try ListeningSocket(listenAddress)
    let address = SocketAddress.ipv4Loopback(port: reserved.port)
    let process = try OpenSSL.process(
      [
        "s_server", "-accept", "127.0.0.1:\(reserved.port)", "-quiet", "-cert",
        "\(certificate).crt", "-key",
        "\(certificate).key",
      ] + arguments, in: authority.path)
    let mirror = Pipe()
    process.standardInput = mirror
    process.standardOutput = mirror
    try process.run()
    self.process = Mutex(process)
    self.reserved = reserved
    self.listener = listener
    port = listener.port
    let opened = OneShot<TLSPeer>()
    acceptance = Task {
      let peer = Weak(await opened.value())
      await withDiscardingTaskGroup { group in
        while let client = try? await listener.accept() {
          peer.value?.connections.withLock { $0.append(client) }
          group.addTask { await Self.serve(client, address: address, startTLS: startTLS) }
        }
      }
    }
    opened.settle(self)
  }

  private struct Weak: Sendable {
    weak let value: TLSPeer?
    init(_ value: TLSPeer) { self.value = value }
  }

  deinit {
    listener.close()
    cut()
    // Not `terminate()`: threads of Dispatch block signals, and a child inherits that.
    process.withLock { _ = kill($0.processIdentifier, SIGKILL) }
  }

  /// Closes every connection without a word.
  func cut() { connections.withLock { all in for one in all { one.close() } } }

  private static func serve(_ client: PlainSocket, address: SocketAddress, startTLS: Bool) async {
    defer { client.close() }
    do {
      if startTLS {
        var heard = ""
        while !heard.contains("<starttls/>"), let bytes = try await client.receive() {
          heard += String(decoding: bytes, as: UTF8.self)
        }
        try await client.send(Array("<proceed/>".utf8))
      }
      var server: PlainSocket?
      for _ in 0..<1000 where server == nil {
        server = try? await PlainSocket.connect(
          to: [address], host: "s_server", port: 0, limit: .seconds(10))
        if server == nil { try? await Task.sleep(for: .milliseconds(10)) }
      }
      guard let server else { return }
      async let out: Void = copy(from: server, to: client)
      await copy(from: client, to: server)
      await out
    } catch {
      // The client went: so do we.
    }
  }

  private static func copy(from source: PlainSocket, to target: PlainSocket) async {
    do {
      while let bytes = try await source.receive() { try await target.send(bytes) }
    } catch {
      // One side is gone: so goes the other.
    }
    source.close()
    target.close()
  }
}

/// The ways in which a client starts TLS.
enum Manner: CaseIterable, Sendable {
  case direct, startTLS

  func connect(
    to peer: TLSPeer, domain: String, trust: TrustOptions, limit: Duration = .seconds(20)
  ) async throws(SocketError) -> TLSSocket {
    switch self {
    case .direct:
      return try await TLSSocket.connect(
        host: "127.0.0.1", port: peer.port, domain: domain, trust: trust, limit: limit)
    case .startTLS:
      let plain = try await PlainSocket.connect(host: "127.0.0.1", port: peer.port)
      try await plain.send(Array("<starttls/>".utf8))
      let answer = try await receive(10, from: plain)
      guard answer == Array("<proceed/>".utf8) else { throw .tls("no <proceed/>") }
      return try await TLSSocket.upgrade(plain, domain: domain, trust: trust, limit: limit)
    }
  }
}

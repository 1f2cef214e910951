import Crypto
import Sockets
import TestSupport
import Testing
import XMPP

/// The server's end of a connection in memory, played step by step by a test.
actor ScriptedServer {
  struct Unexpected: Error, CustomStringConvertible {
    let description: String
  }

  private let end: MemoryByteStream
  private var unread = ""
  /// All that the client has sent.
  private(set) var transcript = ""

  init(_ end: MemoryByteStream) { self.end = end }

  static let header =
    "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' from='a.example' id='1' version='1.0' xml:lang='en'>"

  func send(_ text: String) async throws { try await send(bytes: Array(text.utf8)) }

  func send(bytes: [UInt8]) async throws { try await end.send(bytes) }

  /// Waits until the client has sent `needle`, and forgets everything up to and with it.
  /// - Returns: what came before it.
  @discardableResult
  func expect(_ needle: String) async throws -> String {
    while true {
      if let range = unread.firstRange(of: needle) {
        defer { unread = String(unread[range.upperBound...]) }
        return String(unread[..<range.lowerBound])
      }
      guard let bytes = try await end.receive() else {
        throw Unexpected(description: "no \(needle) in: \(transcript)")
      }
      let text = String(decoding: bytes, as: UTF8.self)
      unread += text
      transcript += text
    }
  }

  /// The `id` of an element of which `text` holds the opening tag.
  static func id(in text: String) -> String {
    guard let start = text.firstRange(of: "id='")?.upperBound else { return "" }
    return String(text[start...].prefix { $0 != "'" })
  }

  /// Waits for the client's end of the connection to be closed.
  func expectEnd() async throws {
    while let bytes = try await end.receive() {
      transcript += String(decoding: bytes, as: UTF8.self)
    }
  }

  func close() { end.close() }

  // MARK: Steps that most scripts have

  func open(_ features: String) async throws {
    try await expect("<stream:stream ")
    try await expect(">")
    try await send(Self.header + "<stream:features>" + features + "</stream:features>")
  }

  static func mechanisms(_ names: String...) -> String {
    "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
      + names.map { "<mechanism>\($0)</mechanism>" }.joined() + "</mechanisms>"
  }

  static let startTLS =
    "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>"
  static let bind = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"

  func acceptPlain() async throws {
    try await expect("mechanism='PLAIN'>")
    let text = try await expect("</auth>")
    #expect(Base64.decode(text) == Array("\0alice\0secret".utf8))
    try await send("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>")
  }

  func acceptBind(_ jid: String = "alice@a.example/desk") async throws {
    let tag = try await expect("</iq>")
    try await send(
      "<iq type='result' id='\(Self.id(in: tag))'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>\(jid)</jid></bind></iq>"
    )
  }

  /// SCRAM as a server does it.
  /// - Parameters:
  ///   - signature: replaces its proof.
  ///   - header: what the client has to say of channel binding, in its first message and in the
  ///     proof's.
  ///   - binding: what the TLS connection has of it.
  ///   - attributes: appended to the server's first message.
  func acceptSCRAM(
    _ function: HashFunction, password: String = "secret", signature: String? = nil,
    header: String = "n,,", binding: [UInt8] = [], attributes: String = ""
  ) async throws {
    let crypto = CryptoLibrary()
    let suffix = header.hasPrefix("p=") ? "-PLUS" : ""
    try await expect("mechanism='SCRAM-\(function.rawValue)\(suffix)'>")
    let first = try await message("</auth>")
    guard first.hasPrefix(header) else { throw Unexpected(description: first) }
    let nonce = String(first.split(separator: "r=").last ?? "") + "server"
    let salt: [UInt8] = [1, 2, 3, 4]
    let challenge = "r=\(nonce),s=\(Base64.encode(salt)),i=4096\(attributes)"
    try await send(
      "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(Base64.encode(Array(challenge.utf8)))</challenge>"
    )
    try await expect("<response xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>")
    let final = try await message("</response>")
    let parts = final.split(separator: ",p=")
    guard final.hasPrefix("c=\(Base64.encode(Array(header.utf8) + binding)),") else {
      return try await send(
        "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>")
    }
    let authMessage = Array("\(first.dropFirst(header.count)),\(challenge),\(parts[0])".utf8)
    let salted = try crypto.pbkdf2(
      password: Array(password.utf8), salt: salt, iterations: 4096, by: function)
    let clientKey = try crypto.hmac(Array("Client Key".utf8), key: salted, by: function)
    let expected = zip(
      clientKey,
      try crypto.hmac(authMessage, key: crypto.hash(clientKey, by: function), by: function)
    ).map { $0 ^ $1 }
    guard Base64.decode(String(parts[1])) == expected else {
      return try await send(
        "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>")
    }
    let serverKey = try crypto.hmac(Array("Server Key".utf8), key: salted, by: function)
    let proof =
      try signature ?? Base64.encode(crypto.hmac(authMessage, key: serverKey, by: function))
    try await send(
      "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(Base64.encode(Array("v=\(proof)".utf8)))</success>"
    )
  }

  private func message(_ end: String) async throws -> String {
    String(decoding: Base64.decode(try await expect(end)) ?? [], as: UTF8.self)
  }
}

/// The steps of a client on a connection, and their results.
enum StreamClient {
  static func options(
    resource: String? = "desk", allowsPlaintext: Bool = false, password: String = "secret"
  ) -> StreamOptions {
    StreamOptions(
      domain: "a.example", user: "alice", password: password, resource: resource,
      allowsPlaintext: allowsPlaintext)
  }

  /// STARTTLS in memory: the same connection, called secure.
  static let upgrade: @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream = {
    transport throws(SocketError) in
    guard let memory = transport as? MemoryByteStream else { throw .closed }
    return memory.secured()
  }

  /// Plays `script` against a client that signs in.
  /// - Returns: the session, or why there is none; and everything the client sent.
  static func negotiate(
    isSecure: Bool = false, isLoopback: Bool = false, channelBindings: [ChannelBinding] = [],
    _ options: StreamOptions = options(),
    upgrade: @escaping @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream =
      upgrade,
    script: @escaping @Sendable (ScriptedServer) async throws -> Void
  ) async throws -> (Result<Session, StreamFailure>, String) {
    let (clientEnd, serverEnd) = MemoryByteStream.pair(
      isSecure: isSecure, isLoopback: isLoopback, channelBindings: channelBindings)
    let server = ScriptedServer(serverEnd)
    let crypto = CryptoLibrary()
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await script(server) }
      let result: Result<Session, StreamFailure>
      do throws(StreamFailure) {
        let stream = try await XMPPStream.open(
          over: clientEnd, options: options, crypto: crypto, startTLS: upgrade, sleep: Pause.endless
        )
        result = .success(stream.session)
      } catch {
        result = .failure(error)
      }
      clientEnd.close()
      // A script that waits for what the client never sends ends with the connection.
      do { try await group.waitForAll() } catch is ScriptedServer.Unexpected {
      } catch is SocketError {}
      do { try await server.expectEnd() } catch is SocketError {}
      return (result, await server.transcript)
    }
  }
}

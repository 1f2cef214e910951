import Crypto
import NatterCore
import Sockets
import Storage
import TestSupport
import XMPP

/// All services of an account over one connection in memory, whose other end says what the input
/// says.
///
/// The first byte chooses: `0` a session whose server follows the lines of the input
/// (`ScriptedPeer`), `1` a server that says the bytes from the stream's beginning on, `2` the same
/// to somebody who asks for a registration form.
enum ConnectionFuzzing {
  static let account = JID(local: "alice", domain: "example.org")
  static let room = JID(local: "room", domain: "rooms.example.org")

  @Sendable static func run(_ bytes: [UInt8]) async throws {
    var input = FuzzInput(bytes)
    switch input.choice(of: 3) {
    case 0: try await session(input.lines)
    case 1: await opening(Array(input.rest), asksForForm: false)
    default: await opening(Array(input.rest), asksForForm: true)
    }
  }

  private static func session(_ script: [ArraySlice<UInt8>]) async throws {
    let (client, server) = MemoryByteStream.pair(isSecure: true)
    let services = try await FuzzedServices(on: client)
    let peer = ScriptedPeer(server, script: script)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await peer.run() }
      group.addTask { await services.runUntilSessionEnds() }
    }
    await services.database.close()
  }

  /// Nothing that a server says during the opening of a stream does more than end it.
  private static func opening(_ bytes: [UInt8], asksForForm: Bool) async {
    let (client, server) = MemoryByteStream.pair(isSecure: true)
    try? await server.send(bytes)
    server.close()
    let options = StreamOptions(
      domain: "example.org", user: "alice", password: "secret", resource: "test")
    let upgrade: @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream = { $0 }
    if asksForForm {
      _ = try? await XMPPStream.registration(
        over: client, options: options, crypto: CryptoLibrary(), startTLS: upgrade)
    } else if let stream = try? await XMPPStream.open(
      over: client, options: options, crypto: CryptoLibrary(), startTLS: upgrade)
    {
      await stream.run()
    }
  }
}

import Foundation
import TestSupport

/// A file to send, in a folder of its own, and what is needed to follow it.
struct SentFiles {
  let folder: TemporaryFolder
  let bytes: [UInt8]

  init() throws {
    folder = try TemporaryFolder("shared")
    bytes = (0..<700_000).map { _ in UInt8.random(in: 0...255) }
    try Data(bytes).write(to: folder.url("rose garden ü.png"))
  }

  /// An ejabberd of its own with alice and bob (geheim), and a relay before its upload service that
  /// does this to each connection.
  static func relayed(_ fault: Fault) async throws -> (EjabberdServer, FaultRelay) {
    let relay = try FaultRelay(to: 1)
    var options = XMPPServerOptions()
    options.uploadLimit = 100 << 20
    options.uploadPort = relay.port
    let server = try await EjabberdServer(options, users: ["alice": "geheim", "bob": "geheim"])
    relay.lead(to: server.webPort)
    relay.greet(with: fault)
    return (server, relay)
  }

  /// Indicates whether a message is the address of a file of this server; unencrypted where it
  /// never leaves this machine.
  static func isAddress(_ text: String?, on server: any XMPPServer) -> Bool {
    text?.hasPrefix(server.encryption == nil ? "http://" : "https://localhost:") == true
  }

  static func digest(_ path: String) async throws -> String {
    let run = try await CommandRun.check("sha256sum", [path])
    // A name with odd characters is marked with a backslash.
    return String(run.text.drop { $0 == "\\" }.prefix(64))
  }
}

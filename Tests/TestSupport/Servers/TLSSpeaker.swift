import Foundation

/// A server on loopback that sends the same text to each client, in direct TLS with the given
/// certificate.
package final class TLSSpeaker: Sendable {
  package let port: UInt16
  private let folder: TemporaryFolder
  private let run: ServerRun

  package var address: String { "127.0.0.1:\(port)" }

  /// Starts it, and returns when it takes connections.
  /// - Throws: `Programs.Missing`, `ServerStartError`.
  package init(_ certificate: CertificateAuthority.Certificate, saying bytes: [UInt8]) async throws
  {
    folder = try TemporaryFolder("tls-speaker")
    let port = try LoopbackPort.free()
    self.port = port
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/tls_speaker.py")
    let words = bytes.map { String(format: "%02x", $0) }.joined()
    run = try ServerRun(
      "/usr/bin/python3", [script.path, String(port), certificate.chain, certificate.key, words],
      environment: ["PATH": Programs.searchPath], directory: folder.root.path,
      output: folder.path("output"))
    guard await run.waits(upTo: .seconds(60), until: { ServerRun.answers(port) }) else {
      throw ServerStartError(name: "tls_speaker.py", log: folder.text("output") ?? "")
    }
  }
}

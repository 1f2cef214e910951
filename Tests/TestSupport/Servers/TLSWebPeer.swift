import Foundation

/// A web server in TLS on loopback, with a certificate that a test chooses. Its answers say how
/// they came: `HTTP/2 connection 2 stream 1 bytes 0`.
package final class TLSWebPeer: Sendable {
  /// The protocols that it offers by ALPN (RFC 7301).
  package enum Offer: String, Sendable {
    case http2 = "h2,http/1.1", http1 = "http/1.1"
    /// HTTP/2, and every stream is reset; or something is sent that HTTP/2 does not allow.
    case resettingStreams = "h2,reset", breakingRules = "h2,rules"
  }

  package let port: UInt16
  private let folder: TemporaryFolder
  private let run: ServerRun

  /// Starts it, and returns when it takes connections.
  /// - Throws: `Programs.Missing`, `ServerStartError`.
  package init(_ certificate: CertificateAuthority.Certificate, offering offer: Offer) async throws
  {
    folder = try TemporaryFolder("tls-web")
    let port = try LoopbackPort.free()
    self.port = port
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/tls_web.py")
    run = try ServerRun(
      "/usr/bin/python3",
      [script.path, String(port), certificate.chain, certificate.key, offer.rawValue],
      environment: ["PATH": Programs.searchPath], directory: folder.root.path,
      output: folder.path("output"))
    guard await run.waits(upTo: .seconds(60), until: { ServerRun.answers(port) }) else {
      throw ServerStartError(name: "tls_web.py", log: folder.text("output") ?? "")
    }
  }

  /// Stops the server, which otherwise ends with this object.
  package func stop() async { await run.child.stop() }
}

import Foundation
import Glibc
import TestSupport
import Testing

@testable import Sockets

/// The channel bindings of a TLS connection.
extension TLSSocketTests {
  private func bindings(_ manner: Manner, _ peer: TLSPeer) async throws -> [ChannelBinding] {
    let client = try await manner.connect(to: peer, domain: "natter.test", trust: trust)
    defer { client.close() }
    return client.channelBindings
  }

  @Test(arguments: Manner.allCases, ["-tls1_3", "-tls1_2"])
  func `each connection has bindings of its own, and the server has one`(
    manner: Manner, version: String
  ) async throws {
    let peer = try peer(manner, arguments: [version])
    let (one, two) = (try await bindings(manner, peer), try await bindings(manner, peer))
    // The preferred first: of TLS 1.2 what every server knows that binds.
    #expect(
      one.map(\.kind)
        == (version == "-tls1_3"
          ? [.exporter, .unique, .serverEndPoint] : [.unique, .exporter, .serverEndPoint]))
    for kind in [ChannelBinding.BindingType.exporter, .unique] {
      let data = [one, two].map { $0.first { $0.kind == kind }?.data ?? [] }
      #expect(data[0] != data[1])
      #expect(data.allSatisfy { $0.count >= 12 && $0.contains { $0 != 0 } })
    }
    #expect(one.first { $0.kind == .exporter }?.data.count == 32)
    #expect(one.last == two.last)
    #expect(one.last?.data == (try await digest(of: "good", by: "sha256")))
  }

  /// RFC 5929 §4.1: the hash function of the certificate's signature.
  @Test(arguments: ["sha384", "sha512"], ["-tls1_3", "-tls1_2"])
  func `the server's binding has the hash with which its certificate is signed`(
    digest: String, version: String
  ) async throws {
    try await authority.sign(digest, for: "DNS:natter.test", digest: digest)
    let peer = try peer(.direct, certificate: digest, arguments: [version])
    let serverEndPoint = try await bindings(.direct, peer).first { $0.kind == .serverEndPoint }
    #expect(serverEndPoint?.data == (try await self.digest(of: digest, by: digest)))
  }

  /// The hash of a certificate, as `openssl` computes it.
  private func digest(of certificate: String, by function: String) async throws -> [UInt8] {
    try await OpenSSL.run(
      "x509", "-in", "\(certificate).crt", "-outform", "DER", "-out", "der", in: authority.path)
    try await OpenSSL.run(
      "dgst", "-\(function)", "-binary", "-out", "digest", "der", in: authority.path)
    return Array(try Data(contentsOf: URL(filePath: authority.file("digest"))))
  }

  /// Of TLS 1.2 the command exports without a context, which is something else than an empty one.
  @Test func `what is exported here is what the server exports`() async throws {
    let reserved = try RefusingPort()
    let process = try OpenSSL.process(
      [
        "s_server", "-accept", "127.0.0.1:\(reserved.port)", "-cert", "good.crt", "-key",
        "good.key", "-tls1_3", "-keymatexport", "EXPORTER-Channel-Binding", "-keymatexportlen",
        "32",
      ], in: authority.path)
    let said = Observed("")
    let output = Pipe()
    output.fileHandleForReading.readabilityHandler = { handle in
      let text = String(decoding: handle.availableData, as: UTF8.self)
      said.update { $0 += text }
    }
    process.standardOutput = output
    // It ends with its input.
    process.standardInput = Pipe()
    try process.run()
    defer { kill(process.processIdentifier, SIGKILL) }
    #expect(await said.waits { $0.contains("ACCEPT") })
    let client = try await TLSSocket.connect(
      host: "127.0.0.1", port: reserved.port, domain: "natter.test", trust: trust)
    defer { client.close() }
    let exporter = client.channelBindings.first { $0.kind == .exporter }?.data ?? []
    let digits = exporter.map { String(format: "%02X", $0) }.joined()
    try #require(digits.count == 64)
    #expect(await said.waits { $0.contains("Keying material: \(digits)") }, "\(said.value)")
  }
}

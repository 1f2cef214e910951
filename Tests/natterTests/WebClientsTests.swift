import API
import TestSupport
import Testing

@testable import natter

@Suite(.requires(.openssl)) struct WebClientsTests {
  @Test func `accounts that trust other authorities go over the same multi handle`() async throws {
    let peer = try HTTPPeer { _ in .answer(200) }
    let authority = try await CertificateAuthority()
    let clients = WebClients()
    // Connections belong to a multi handle: another one would have made its own.
    for file in [nil, authority.certificate, nil] {
      _ = try await clients.client(caFile: file).describe(peer.address + "/a")
    }
    #expect(peer.requests.count == 3)
    #expect(peer.connectionCount == 1)
  }
}

import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

@Suite struct ServerComponentStoreTests {
  @Test func `parts come back with what they said, in their order`() async throws {
    let store = try await AccountDatabase.inMemory().serverParts
    #expect(try await store.parts() == ServerParts())
    let parts = ServerParts(
      parts: [
        ServerComponent(jid: JID(local: nil, domain: "example.org"), name: "A & <b>"),
        ServerComponent(
          jid: JID(local: nil, domain: "a.example.org"),
          discovery: XEP0030Discovery(
            identities: [.init(category: "store", type: "file", name: "é\"")],
            features: ["x", "y"],
            forms: [XEP0004DataForm(.result, fields: [.init("FORM_TYPE", values: ["z"])])])),
      ], readAt: Date(timeIntervalSince1970: 9))
    try await store.replace(parts)
    #expect(try await store.parts() == parts)
    try await store.replace(ServerParts())
    #expect(try await store.parts() == ServerParts())
  }

  @Test func `invitations come back, and one that is removed does not`() async throws {
    let store = try await AccountDatabase.inMemory().serverParts
    let first = AccountInvitation(
      kind: .contact, address: "xmpp:a?roster", page: "https://x/",
      expires: Date(timeIntervalSince1970: 5))
    let second = AccountInvitation(kind: .account, address: "xmpp:b?register")
    for invitation in [first, second, first] { try await store.save(invitation) }
    #expect(Set(try await store.invitations()) == [first, second])
    try await store.removeInvitation(first.id)
    #expect(try await store.invitations() == [second])
  }
}

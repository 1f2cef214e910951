import Foundation
import NatterCore
import XMPP

/// The components of a made-up server, and the invitations that it creates.
package actor FakeComponentDirectory: ServerComponentFinding, InvitationMaking {
  package private(set) var calls: [String] = []
  private var known: ServerParts
  private var made: [AccountInvitation]
  private let kinds: Set<AccountInvitation.InvitationKind>

  package init(
    _ parts: ServerParts = ServerParts(), invitations: [AccountInvitation] = [],
    kinds: Set<AccountInvitation.InvitationKind> = []
  ) {
    known = parts
    made = invitations
    self.kinds = kinds
  }

  package func parts() -> ServerParts { known }
  package func refreshParts() { calls.append("refresh") }
  package func part(_ jid: JID, node: String) -> ServerComponent {
    calls.append("info \(jid) \(node)")
    return ServerComponent(jid: jid, discovery: known.parts.first?.discovery)
  }
  package func items(of jid: JID, node: String) -> [XEP0030Item] {
    calls.append("items \(jid) \(node)")
    return known.parts.map { XEP0030Item(jid: $0.jid, name: $0.name, node: node + "/1") }
  }
  package func invitations() -> [AccountInvitation] { made }
  package func invitationKinds() -> Set<AccountInvitation.InvitationKind> { kinds }
  package func makeInvitation(_ kind: AccountInvitation.InvitationKind) -> AccountInvitation {
    calls.append("make \(kind.rawValue)")
    let invitation = AccountInvitation(
      kind: kind, address: "xmpp:alice@example.org?roster;preauth=\(made.count)",
      expires: Date(timeIntervalSince1970: 1_795_183_200 + 86_400))
    made.append(invitation)
    return invitation
  }
  package func forget(_ invitation: AccountInvitation) {
    calls.append("forget \(invitation.kind.rawValue)")
    made.removeAll { $0.id == invitation.id }
  }
}

extension ServerParts {
  /// A server with rooms, files, and a part that says nothing.
  package static func wireframe(readAt: Date?) -> ServerParts {
    func part(_ domain: String, _ category: String, _ name: String, _ features: Set<String>)
      -> ServerComponent
    {
      ServerComponent(
        jid: JID(local: nil, domain: domain), name: name,
        discovery: XEP0030Discovery(
          identities: [.init(category: category, type: "x", name: name)], features: features))
    }
    return ServerParts(
      parts: [
        part(
          "example.org", "server", "Example",
          ["urn:xmpp:carbons:2", "urn:xmpp:ping", "urn:xmpp:strange:0"]),
        part("rooms.example.org", "conference", "Chatrooms", [XEP0045.namespace]),
        ServerComponent(jid: JID(local: nil, domain: "silent.example.org")),
      ], readAt: readAt)
  }
}

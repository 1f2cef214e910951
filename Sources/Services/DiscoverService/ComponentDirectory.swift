import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// Finds the components of the account's server, and requests invitations from it.
package actor ComponentDirectory: ChannelHolding, ServerComponentFinding, InvitationMaking {
  /// The maximum number of components that are queried.
  private static let partLimit = 100

  private let account: JID
  private let store: any ServerComponentStoring
  private let hub: EventHub
  private let log: Log
  private let now: @Sendable () -> Date
  package var channel: (any StanzaChannel)?

  package init(
    account: JID, store: any ServerComponentStoring, hub: EventHub, log: Log,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.account = account.bare
    self.store = store
    self.hub = hub
    self.log = log
    self.now = now
  }

  private var server: JID { JID(local: nil, domain: account.domain) }

  // MARK: - The parts

  /// Returns the stored components.
  package func parts() async throws -> ServerParts { try await store.parts() }

  /// Queries the components of the server and their features, and stores them.
  /// - Throws: `NatterError`, also without a connection.
  package func refreshParts() async throws {
    let channel = try openChannel()
    do {
      let items = try await XEP0030Item.list(of: server, over: channel)
      var parts = [ServerComponent(jid: server)]
      for item in items.prefix(Self.partLimit)
      where item.node == nil && !parts.contains(where: { $0.jid == item.jid }) {
        parts.append(
          ServerComponent(
            jid: item.jid, name: item.name?.beginning(bytes: XEP0030Discovery.textBytes)))
      }
      for index in parts.indices {
        parts[index].discovery = try await discovery(of: parts[index].jid, over: channel)?
          .shortened
        parts[index].name =
          parts[index].discovery?.identities.compactMap(\.name).first { !$0.isEmpty }
          ?? parts[index].name
      }
      try await store.replace(ServerParts(parts: parts, readAt: now()))
      hub.publish(.serverPartsChanged)
    } catch {
      throw NatterError(answering: error)
    }
  }

  /// Returns the result of service discovery.
  /// - Returns: `nil` when the component refuses or does not answer.
  private func discovery(of jid: JID, over channel: any StanzaChannel) async throws
    -> XEP0030Discovery?
  {
    do {
      let answer = try await channel.request(
        XEP0030Discovery.question(to: jid), timeout: .seconds(10))
      return XEP0030Discovery(answer: answer)
    } catch let error as StanzaError {
      log.info("a part of the server says nothing of itself: \(error.condition.rawValue)")
      return nil
    } catch ChannelError.timedOut {
      log.info("a part of the server does not answer")
      return nil
    }
  }

  /// Queries a node of a component.
  /// - Throws: `NatterError`, also without a connection.
  package func part(_ jid: JID, node: String) async throws -> ServerComponent {
    let channel = try openChannel()
    let discovery: XEP0030Discovery?
    do {
      let answer = try await channel.request(
        Element(
          "iq", Namespace.client, ["type": "get", "to": jid.description],
          [Element("query", Namespace.discoInfo, ["node": node])]))
      discovery = XEP0030Discovery(answer: answer)
    } catch {
      throw NatterError(answering: error)
    }
    return ServerComponent(
      jid: jid, name: discovery?.identities.compactMap(\.name).first { !$0.isEmpty },
      discovery: discovery)
  }

  /// Queries the items of a node (XEP-0030 §4).
  /// - Throws: `NatterError`, also without a connection.
  package func items(of jid: JID, node: String) async throws -> [XEP0030Item] {
    let channel = try openChannel()
    do { return try await XEP0030Item.list(of: jid, node: node, over: channel) } catch {
      throw NatterError(answering: error)
    }
  }

  // MARK: - Invitations

  /// Queries the kinds of invitations that the server creates for this account (XEP-0401).
  /// - Returns: the empty set for a server without them.
  /// - Throws: `NatterError`, also without a connection.
  package func invitationKinds() async throws -> Set<AccountInvitation.InvitationKind> {
    let channel = try openChannel()
    do {
      let nodes = Set(try await XEP0050.list(of: server, over: channel).map(\.node))
      return Set(AccountInvitation.InvitationKind.allCases.filter { nodes.contains($0.node) })
    } catch is StanzaError {
      // The server has no commands.
      return []
    } catch {
      throw NatterError(answering: error)
    }
  }

  /// Returns the stored invitations that have not expired.
  package func invitations() async throws -> [AccountInvitation] {
    let now = now()
    return try await store.invitations().filter { $0.expires.map { $0 > now } ?? true }
  }

  /// Requests an invitation from the server and stores it.
  /// - Throws: `NatterError`, also without a connection.
  package func makeInvitation(_ kind: AccountInvitation.InvitationKind) async throws
    -> AccountInvitation
  {
    let channel = try openChannel()
    do {
      let answer = try await channel.request(XEP0050.request(kind.node, of: server))
      let outcome = XEP0050.Reply(answer)
      guard let made = outcome?.form.flatMap({ XEP0401Invitation($0) }) else {
        throw NatterError(
          .refused, "error.discover.noInvitation",
          ["text": outcome?.notes.first(where: \.isError)?.text ?? ""])
      }
      let invitation = AccountInvitation(
        kind: kind, address: made.uri, page: made.page,
        expires: made.expires.flatMap { XEP0082DateTime.date(from: $0) })
      try await store.save(invitation)
      hub.publish(.serverPartsChanged)
      return invitation
    } catch {
      throw NatterError(answering: error)
    }
  }

  /// Removes a stored invitation; it stays valid at the server.
  package func forget(_ invitation: AccountInvitation) async throws {
    try await store.removeInvitation(invitation.id)
    hub.publish(.serverPartsChanged)
  }
}

extension AccountInvitation.InvitationKind {
  /// The command that creates an invitation (XEP-0401 §3).
  fileprivate var node: String {
    switch self {
    case .contact: XEP0401Invitation.contactNode
    case .account: XEP0401Invitation.accountNode
    }
  }
}

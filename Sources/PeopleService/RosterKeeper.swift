import Diagnostics
import NatterCore
import XMPP

/// Knows who asked to see this account's presence and has no answer yet.
package protocol SubscriptionRequestKeeping: Sendable {
  /// Bare addresses, the oldest request first.
  func subscriptionRequests() async -> [JID]
  /// Forgets a request once it was answered.
  func settleRequest(from jid: JID) async
}

/// Keeps the roster in the database as the server has it (RFC 6121 §2), and changes it at the person's wish.
package actor RosterKeeper: SessionConsuming, RosterManaging {
  private let account: JID
  private let store: any RosterStoring
  private let hub: EventHub
  private let log: Log
  /// What somebody asked of this account and still waits for.
  private let requests: any SubscriptionRequestKeeping
  private var channel: (any StanzaChannel)?
  /// Pushes that came while the roster was fetched, to be applied on top of it; `nil` while it is not.
  private var heldPushes: [Element]?

  package init(
    account: JID, store: any RosterStoring, hub: EventHub, log: Log,
    requests: any SubscriptionRequestKeeping
  ) {
    self.account = account.bare
    self.store = store
    self.hub = hub
    self.log = log
    self.requests = requests
  }

  package func channelOpened(_ channel: any StanzaChannel) async { self.channel = channel }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    heldPushes = []
    do { try await fetch(session, over: channel) } catch {
      // What the database holds stays on the screen; the next session asks again.
      log.warning("the roster could not be fetched: \(error)")
      hub.publish(.notice(Notice(.warning, "status.rosterNotFetched")))
    }
    // More may come while these are stored: they keep their order.
    while let push = heldPushes?.first {
      heldPushes?.removeFirst()
      await apply(push)
    }
    heldPushes = nil
  }

  package func sessionEnded() async { channel = nil }

  package func receive(_ stanzas: [Stanza]) async {
    for case .iq(let iq) in stanzas {
      guard iq.kind == .set, let query = iq.element.first("query", Namespace.roster) else {
        continue
      }
      // Anybody can send such a stanza; only the own account's is a push (RFC 6121 §2.1.6).
      guard iq.from == nil || iq.from == account else {
        try? await channel?.send(iq.errorReply(StanzaError(.cancel, .serviceUnavailable)))
        continue
      }
      // The roster that is on its way is older than this: it must not overwrite it.
      if heldPushes != nil { heldPushes?.append(query) } else { await apply(query) }
      try? await channel?.send(iq.resultReply())
    }
  }

  private func fetch(_ session: Session, over channel: any StanzaChannel) async throws {
    var query = Element("query", Namespace.roster)
    if session.features.hasRosterVersioning { query["ver"] = try await store.rosterVersion() ?? "" }
    let answer = try await channel.request(
      Element("iq", Namespace.client, ["type": "get"], [query]))
    // No query in the answer: what is stored is current, changes come as pushes (RFC 6121 §2.6.3).
    guard let roster = answer.first("query", Namespace.roster) else { return }
    let contacts = roster.all("item", Namespace.roster).compactMap { RosterItem($0)?.contact }
    let known = try await store.contacts()
    try await store.replaceContacts(contacts, version: roster["ver"])
    let now = Set(contacts.map(\.jid))
    let gone = known.map(\.jid).filter { !now.contains($0) }
    if !gone.isEmpty { hub.publish(.contactsRemoved(gone)) }
    // As they are stored: with what people call themselves.
    let stored = try await store.contacts()
    let changed = Set(stored).subtracting(known)
    if !changed.isEmpty { hub.publish(.contactsChanged(stored.filter(changed.contains))) }
  }

  private func apply(_ query: Element) async {
    for item in query.all("item", Namespace.roster) {
      guard let item = RosterItem(item) else { continue }
      do {
        if item.isRemoved {
          try await store.removeContact(item.jid, version: query["ver"])
          hub.publish(.contactsRemoved([item.jid]))
        } else {
          try await store.saveContact(item.contact, version: query["ver"])
          hub.publish(.contactsChanged([item.contact]))
        }
      } catch {
        log.error("storing a roster push failed: \(error)")
        hub.publish(.notice(Notice(.error, "error.storage.write")))
      }
    }
  }

  // MARK: - Changes

  package func add(_ jid: JID, name: String?, invitation: String?) async throws {
    try await set(Contact(jid: jid.bare, name: name))
    // Who asked before is answered by that, instead of being asked about twice.
    if await requests.subscriptionRequests().contains(jid.bare) {
      try await present("subscribed", to: jid)
      await requests.settleRequest(from: jid)
    }
    try await present(
      "subscribe", to: jid, invitation.map { XEP0379Invitation(token: $0).element })
  }

  package func remove(_ jid: JID) async throws {
    try await request(
      Element("item", Namespace.roster, ["jid": jid.bare.description, "subscription": "remove"]))
  }

  package func rename(_ jid: JID, to name: String?) async throws {
    let known = try await store.contacts().first { $0.jid == jid.bare }
    try await set(Contact(jid: jid.bare, name: name, groups: known?.groups ?? []))
  }

  package func regroup(_ jid: JID, into groups: [String]) async throws {
    let known = try await store.contacts().first { $0.jid == jid.bare }
    try await set(Contact(jid: jid.bare, name: known?.name, groups: groups))
  }

  package func requestPresence(of jid: JID) async throws {
    try await present("subscribe", to: jid)
  }

  package func approve(_ jid: JID) async throws {
    try await present("subscribed", to: jid)
    await requests.settleRequest(from: jid)
    let known = try await store.contacts().first { $0.jid == jid.bare }
    if known?.subscription != .to && known?.subscription != .both {
      try await present("subscribe", to: jid)
    }
  }

  package func deny(_ jid: JID) async throws {
    try await present("unsubscribed", to: jid)
    await requests.settleRequest(from: jid)
  }

  private func set(_ contact: Contact) async throws {
    var item = Element("item", Namespace.roster, ["jid": contact.jid.description])
    if let name = contact.name, !name.isEmpty { item["name"] = name }
    for group in contact.groups { item.append(Element("group", Namespace.roster, text: group)) }
    try await request(item)
  }

  private func request(_ item: Element) async throws {
    guard let channel else { throw NatterError(.offline, "error.offline") }
    do {
      _ = try await channel.request(
        Element(
          "iq", Namespace.client, ["type": "set"],
          [Element("query", Namespace.roster, [:], [item])]))
    } catch {
      throw NatterError(answering: error)
    }
  }

  private func present(_ type: String, to jid: JID, _ payload: Element? = nil) async throws {
    guard let channel else { throw NatterError(.offline, "error.offline") }
    do {
      try await channel.send(
        Element(
          "presence", Namespace.client, ["type": type, "to": jid.bare.description],
          payload.map { [$0] } ?? []))
    } catch {
      throw NatterError(answering: error)
    }
  }
}

extension RosterItem {
  var contact: Contact {
    Contact(
      jid: jid, name: name, subscription: Contact.Subscription(rawValue: subscription) ?? .none,
      isPending: isPending, groups: groups)
  }
}

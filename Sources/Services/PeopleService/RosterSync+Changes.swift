import Diagnostics
import NatterCore
import XML
import XMPP

// The user's changes to contacts: stored before they are sent, and sent until the server accepts or
// refuses them.
extension RosterSync {
  /// Adds a contact and requests their presence.
  /// - Parameters:
  ///   - invitation: the token of an invitation (XEP-0379).
  ///   - message: the text of the subscription request.
  /// - Returns: `false` if the change is pending.
  @discardableResult
  package func add(
    _ jid: JID, name: String?, invitation: String?, message: String? = nil
  ) async throws -> Bool {
    var pendingChanges: [ContactChange.Operation] = [
      .add(name: name, invitation: invitation, message: message)
    ]
    // Adding a contact also approves their pending request, so that the user is not asked twice.
    if await requests.subscriptionRequests().contains(jid.bare) { pendingChanges.append(.approve) }
    return try await change(jid, pendingChanges)
  }

  /// Removes a contact.
  /// - Returns: `false` if the change is pending.
  @discardableResult
  package func remove(_ jid: JID) async throws -> Bool { try await change(jid, [.remove]) }

  /// Changes a contact's name; `nil` removes it.
  /// - Returns: `false` if the change is pending.
  @discardableResult
  package func rename(_ jid: JID, to name: String?) async throws -> Bool {
    try await change(jid, [.rename(name)])
  }

  /// Replaces the groups of a contact.
  /// - Returns: `false` if the change is pending.
  @discardableResult
  package func regroup(_ jid: JID, into groups: [String]) async throws -> Bool {
    try await change(jid, [.regroup(groups)])
  }

  /// Sends a subscription request.
  /// - Returns: `false` if the change is pending.
  @discardableResult
  package func requestPresence(of jid: JID) async throws -> Bool { try await change(jid, [.ask]) }
  /// Approves a contact's subscription request.
  /// - Returns: `false` if the change is pending.
  @discardableResult
  package func approve(_ jid: JID) async throws -> Bool { try await change(jid, [.approve]) }
  /// Denies a contact's subscription request.
  /// - Returns: `false` if the change is pending.
  @discardableResult
  package func deny(_ jid: JID) async throws -> Bool { try await change(jid, [.deny]) }

  /// Sends the refused changes of a contact again.
  /// - Returns: `false` if the changes are pending.
  @discardableResult
  package func retryChanges(of jid: JID) async throws -> Bool {
    let jid = jid.bare
    try await store.mark(try await changes(of: jid).filter { !$0.isWaiting }, refusal: nil)
    try await announce(jid)
    return try await submitSerialized(jid)
  }

  /// Discards the pending and refused changes of a contact.
  package func discardChanges(of jid: JID) async throws {
    let jid = jid.bare
    try await store.drop(try await changes(of: jid))
    try await announce(jid)
  }

  private func changes(of jid: JID) async throws -> [ContactChange] {
    try await store.contactChanges(of: jid).filter { $0.operation.subject != .blocking }
  }

  private func change(_ jid: JID, _ pendingChanges: [ContactChange.Operation]) async throws -> Bool
  {
    let jid = jid.bare
    var kept: [ContactChange] = []
    // Stored first, so that the changes are sent even if the program ends now.
    for operation in pendingChanges { kept.append(try await store.keep(operation, of: jid)) }
    if kept.contains(where: { $0.operation.subject == .answer }) {
      await requests.settleRequest(from: jid)
      hub.publish(.subscriptionAnswered(jid))
    }
    if channel == nil { try await announce(jid) }
    return try await self.pendingChanges.make(kept) {
      try await submitSerialized(jid)
    } announce: {
      try await announce(jid)
    }
  }

  // MARK: - On the way

  /// Sends the pending changes in the order in which they were made.
  func submitChanges() async {
    await pendingChanges.submitAll {
      var seen: Set<JID> = []
      return try await store.contactChanges().filter {
        $0.isWaiting && $0.operation.subject != .blocking && seen.insert($0.jid).inserted
      }.map(\.jid)
    } _: {
      _ = try await submitSerialized($0)
    }
  }

  private func submitSerialized(_ jid: JID) async throws -> Bool {
    try await inbox.begin { try await self.submit(jid) }.value
  }

  /// Sends all pending changes of one contact.
  /// - Returns: `true` once the server has them.
  private func submit(_ jid: JID) async throws -> Bool {
    guard let channel else { return false }
    let changes = try await changes(of: jid).filter(\.isWaiting)
    guard !changes.isEmpty else { return true }
    submitted.begin(jid)
    return try await pendingChanges.submit(changes) {
      try await submit(changes, of: jid, over: channel)
    } isPushed: {
      submitted.isPushed
    } announce: {
      try await announce(jid)
    }
  }

  private func submit(
    _ changes: [ContactChange], of jid: JID, over channel: any StanzaChannel
  ) async throws {
    let subjects = Set(changes.map(\.operation.subject))
    let known = try await store.contact(jid)
    if changes.contains(where: { $0.operation == .remove }) {
      try await remove(jid, over: channel)
    } else if !subjects.isDisjoint(with: [.entry, .name, .groups]) {
      var contact = known ?? Contact(jid: jid)
      for change in changes { contact.take(change) }
      try await set(contact, over: channel)
    }
    var asks = subjects.contains(.presence)
    var payload: [Element] = []
    for change in changes {
      switch change.operation {
      case .approve:
        try await present("subscribed", to: jid, over: channel)
        if known?.subscription != .to && known?.subscription != .both { asks = true }
      case .deny: try await present("unsubscribed", to: jid, over: channel)
      case .add(_, let token, let message):
        asks = true
        payload = [
          message.map { Element("status", Namespace.client, text: $0) },
          token.map { XEP0379Invitation(token: $0).element },
        ].compactMap { $0 }
      default: break
      }
    }
    if asks {
      try await present("subscribe", to: jid, payload, over: channel)
    }
    if asks || subjects.contains(.answer) { try await waitUntilHandled(over: channel) }
  }

  /// Waits until the server has handled what was sent before. Presence has no reply, but a server
  /// handles the stanzas of one client in order (RFC 6120 §10.1), so any answer to a later request
  /// is the proof.
  private func waitUntilHandled(over channel: any StanzaChannel) async throws {
    do {
      _ = try await channel.request(XEP0199Ping.question())
    } catch let error as StanzaError where !error.isPassing {
      // An error of a server that does not support pings is such an answer, too.
    }
  }

  private func remove(_ jid: JID, over channel: any StanzaChannel) async throws {
    do {
      try await request(
        Element("item", Namespace.roster, ["jid": jid.description, "subscription": "remove"]),
        over: channel)
    } catch let error as StanzaError where error.condition == .itemNotFound {
      // The contact is removed already.
    }
  }

  private func set(_ contact: Contact, over channel: any StanzaChannel) async throws {
    var item = Element("item", Namespace.roster, ["jid": contact.jid.description])
    if let name = contact.name, !name.isEmpty { item["name"] = name }
    for group in contact.groups { item.append(Element("group", Namespace.roster, text: group)) }
    try await request(item, over: channel)
  }

  private func request(_ item: Element, over channel: any StanzaChannel) async throws {
    _ = try await channel.request(
      Element(
        "iq", Namespace.client, ["type": "set"],
        [Element("query", Namespace.roster, [:], [item])]))
  }

  private func present(
    _ type: String, to jid: JID, _ payload: [Element] = [], over channel: any StanzaChannel
  ) async throws {
    try await channel.send(
      Element(
        "presence", Namespace.client, ["type": type, "to": jid.description], payload))
  }
}

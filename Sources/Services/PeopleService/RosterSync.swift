import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// Keeps the requests to see this account's presence that have no answer yet.
package protocol SubscriptionRequestKeeping: Sendable {
  /// Returns bare addresses, the oldest request first.
  func subscriptionRequests() async -> [JID]
  /// Forgets a request once it was answered.
  func settleRequest(from jid: JID) async
}

/// Keeps the stored roster identical to the server's (RFC 6121 §2), and sends the user's changes of
/// it: at once, or as soon as there is a connection.
package actor RosterSync: ChannelHolding, RosterManaging {
  let account: JID
  let store: any RosterStoring & ContactChangeStoring
  let hub: EventHub
  let log: Log
  /// The unanswered requests of others to this account.
  let requests: any SubscriptionRequestKeeping
  let pendingChanges: PendingContactChanges
  private let age: SnapshotAge
  private let storage: RetryingWrite
  package var channel: (any StanzaChannel)?
  /// Indicates whether the server pushes every change as it happens, so that the stored roster is
  /// current.
  private var isCurrent = false
  /// Serializes changes: a roster entry is sent whole, so the second of two changes waits for the
  /// first.
  let inbox = SerialInbox<SingleLane>()
  private var heldPushes = HeldPushes()
  var submitted = SubmittedAddress()

  package init(
    account: JID, store: any RosterStoring & ContactChangeStoring, hub: EventHub, log: Log,
    requests: any SubscriptionRequestKeeping, now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    storage = RetryingWrite(hub: hub, sleep: sleep) { log.error($0) }
    self.account = account.bare
    self.store = store
    self.hub = hub
    self.log = log
    self.requests = requests
    pendingChanges = PendingContactChanges(of: "the roster", store: store, hub: hub, log: log)
    age = SnapshotAge(list: "the roster", log: log, now: now) { [store] in
      try await store.confirmRoster(at: $0)
    }
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    // Changes that the user makes meanwhile wait: an entry is sent whole, and the stored one may be
    // older than the server's.
    await inbox.run { await synchronize(session, over: channel) }
    // Those of the block list, too: of one that cannot be read the list is not known.
    await pendingChanges.reportUnreadable()
    await submitChanges()
  }

  /// Fetches the roster, and applies what is pushed meanwhile. It is called from the inbox.
  private func synchronize(_ session: Session, over channel: any StanzaChannel) async {
    let run = heldPushes.begin()
    do {
      try await fetch(session, over: channel)
      isCurrent = true
      await age.confirm()
    } catch ChannelError.notConnected {
      // The lost connection is reported elsewhere, and the next session fetches again.
      log.info("the connection ended before the roster came")
    } catch {
      // The stored roster stays on the screen; the next session fetches again.
      log.warning("the roster could not be fetched: \(error)")
      hub.publish(.notice(StatusNotice(.warning, "status.rosterNotFetched")))
    }
    while let held = heldPushes.next(after: run) { await take(held) }
  }

  package func sessionResumed() async { await submitChanges() }

  package func sessionEnded() async {
    channel = nil
    if isCurrent { await age.confirm() }
    isCurrent = false
  }

  package func receive(_ stanzas: [Stanza]) async {
    var pushes: [IQ] = []
    for case .iq(let iq) in stanzas {
      guard iq.isRosterSet else { continue }
      // Anyone can send such a stanza; only the own account's is a push (RFC 6121 §2.1.6).
      guard iq.isFrom(account) else {
        try? await channel?.send(iq.errorReply(StanzaError(.cancel, .serviceUnavailable)))
        continue
      }
      pushes.append(iq)
    }
    guard !pushes.isEmpty, !heldPushes.hold(pushes) else { return }
    await take(pushes)
  }

  /// Applies pushes, and answers them once they are stored.
  private func take(_ pushes: [IQ]) async {
    let queries = pushes.compactMap(\.payload)
    guard await apply(queries) else { return }
    for push in pushes { try? await channel?.send(push.resultReply()) }
  }

  private func fetch(_ session: Session, over channel: any StanzaChannel) async throws {
    var query = Element("query", Namespace.roster)
    if session.features.hasRosterVersioning { query["ver"] = try await store.rosterVersion() ?? "" }
    let answer = try await channel.request(
      Element("iq", Namespace.client, ["type": "get"], [query]))
    // A reply without a query means that the stored roster is current; changes come as pushes (RFC
    // 6121 §2.6.3).
    guard let roster = answer.first("query", Namespace.roster) else { return }
    let contacts = roster.all("item", Namespace.roster).compactMap { RosterItem($0)?.contact }
    let known = try await store.contacts()
    try await store.replaceContacts(contacts, version: roster["ver"])
    let now = Set(contacts.map(\.jid))
    let gone = known.map(\.jid).filter { !now.contains($0) }
    if !gone.isEmpty { hub.publish(.contactsRemoved(gone)) }
    // The stored contacts include the nicknames that contacts publish.
    let stored = try await store.contacts()
    for contact in contacts { await settleRequest(answeredIn: contact) }
    let changed = Set(stored).subtracting(known)
    if !changed.isEmpty { hub.publish(.contactsChanged(stored.filter(changed.contains))) }
  }

  /// Stores the pushes that arrived together in one transaction, and publishes them once.
  /// - Returns: `true` if they are stored; `false` when the task was cancelled.
  private func apply(_ queries: [Element]) async -> Bool {
    let pushes = queries.flatMap { query in
      // The version of a push says that everything before it is here, too: a roster that was not
      // fetched would count as current at the next login.
      let version = isCurrent ? query["ver"] : nil
      return query.all("item", Namespace.roster).compactMap { RosterItem($0) }.map { item in
        item.isRemoved
          ? RosterPush(removing: item.jid, version: version)
          : RosterPush(item.contact, version: version)
      }
    }
    guard !pushes.isEmpty else { return true }
    submitted.note(pushes.map(\.jid))
    let stored = await storage.perform("\(pushes.count) roster pushes") {
      try await store.apply(pushes)
    }
    guard let stored else { return false }
    for case let contact? in pushes.map(\.contact) { await settleRequest(answeredIn: contact) }
    let here = Set(stored.map(\.jid))
    let gone = Set(pushes.map(\.jid)).subtracting(here)
    if !gone.isEmpty {
      hub.publish(.contactsRemoved(gone.sorted { $0.description < $1.description }))
    }
    if !stored.isEmpty { hub.publish(.contactsChanged(stored)) }
    return true
  }

  /// Removes the request of a contact who may see the presence: it was answered, perhaps by another
  /// client of the account.
  private func settleRequest(answeredIn contact: Contact) async {
    guard [.from, .both].contains(contact.subscription) else { return }
    await requests.settleRequest(from: contact.jid)
  }

  /// Publishes the current state of a contact, with the user's pending changes.
  func announce(_ jid: JID) async throws {
    if let contact = try await store.contact(jid) {
      hub.publish(.contactsChanged([contact]))
    } else {
      hub.publish(.contactsRemoved([jid]))
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

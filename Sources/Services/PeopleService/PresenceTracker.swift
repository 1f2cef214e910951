import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// Tracks the presence of every contact's resources (RFC 6121 §4), and the account's own.
package actor PresenceTracker: ChannelHolding, PresenceReading, PresenceSetting,
  ResourceReading, SubscriptionRequestKeeping, AccountEventHandling
{
  private let account: JID
  let roster: any RosterStoring & ContactChangeStoring
  let hub: EventHub
  let log: Log
  /// Returns the announcement of this client's features, added to each presence (XEP-0115).
  private let capabilities: @Sendable () -> Element?
  /// The storage of the own presence between runs; `nil` stores nothing.
  let memory: (any PresenceStoring)?
  private let sendsIdle: Bool
  /// Forwards the own presence to entities that the server does not inform, such as rooms; `nil`
  /// forwards nothing.
  private let follower: (any OwnPresenceFollowing)?
  let now: @Sendable () -> Date
  private var resources = KnownResources()
  /// The senders of unanswered subscription requests, the oldest first.
  var requests: [JID] = []
  /// The requests among these that the server has repeated in this session.
  var repeated: Set<JID> = []
  /// The senders whose withdrawal arrived before the request itself, which takes another path.
  var withdrawn: Set<JID> = []
  package var channel: (any StanzaChannel)?
  private(set) var own = OwnPresence()
  /// Changes of the own presence, each stored before the next one begins.
  private let changes = SerialInbox<SingleLane>()
  private var hasRecalled = false
  private var idleSince: Date?
  /// Indicates whether the own presence has changed since it was last sent.
  private var isUnreported = false

  /// - Parameters:
  ///   - roster: the contacts, with the requests that this account sent and the answers that it
  ///     gave.
  ///   - capabilities: called for each presence that is sent: it needs a hash, whose library is not
  ///     to be loaded before there is a connection.
  ///   - memory: the storage of the presence and of the requests for the next start.
  ///   - sendsIdle: publishes to contacts since when this client is idle.
  ///   - follower: forwards the own presence to entities that the server does not inform.
  package init(
    account: JID, roster: any RosterStoring & ContactChangeStoring, hub: EventHub, log: Log,
    capabilities: @escaping @Sendable () -> Element?, memory: (any PresenceStoring)? = nil,
    sendsIdle: Bool = true, follower: (any OwnPresenceFollowing)? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.account = account.bare
    self.roster = roster
    self.hub = hub
    self.log = log
    self.capabilities = capabilities
    self.memory = memory
    self.sendsIdle = sendsIdle
    self.follower = follower
    self.now = now
  }

  /// Returns the presence of all contacts that are online.
  package func presence() -> [ContactPresence] { resources.addresses.map(summary) }
  /// Returns the account's own presence, restored from the last run if necessary.
  package func ownPresence() async -> OwnPresence {
    await recall()
    return own
  }

  /// Changes the own presence: stored, and sent as soon as there is a connection.
  /// - Throws: the error of storing it; then nothing has changed.
  package func setPresence(_ availability: Availability, status: String?) async throws {
    try await change { ($0.availability, $0.status) = (availability, status) }
  }

  /// Changes the priority of this client, limited to -128...127.
  /// - Throws: the error of storing it; then nothing has changed.
  package func setPriority(_ priority: Int) async throws {
    try await change { $0.priority = min(127, max(-128, priority)) }
  }

  private func change(_ edit: (inout OwnPresence) -> Void) async throws {
    try await changes.run {
      await recall()
      var next = own
      edit(&next)
      try await keep(next)
      edit(&own)
    }
    await sendPresence()
  }

  // MARK: - Over restarts

  /// Restores the presence and the unanswered requests of the last run, once.
  func recall() async {
    guard !hasRecalled, let memory else { return }
    do {
      let stored = try await memory.storedPresence()
      guard !hasRecalled else { return }
      hasRecalled = true
      if stored.own.availability != .online { own.availability = stored.own.availability }
      (own.status, own.priority) = (stored.own.status, stored.own.priority)
      requests = stored.requests + requests.filter { !stored.requests.contains($0) }
      await memory.reportUnreadable([.presence]) { log.warning("\($0)") }
    } catch {
      // The account then has the default presence, and requests return when the server repeats
      // them.
      log.warning("the own presence could not be read: \(error)")
    }
  }

  private func keep(_ presence: OwnPresence) async throws {
    guard let memory else { return }
    var next = presence
    // A user who went offline is online again at the next start.
    if next.availability == .offline { next.availability = .online }
    try await memory.keep(next)
  }

  // MARK: - Idle time

  /// Publishes since when this client is idle; `nil` while it is in use.
  package func setIdle(since: Date?) async {
    guard sendsIdle, since != idleSince else { return }
    idleSince = since
    await sendPresence()
  }

  /// Returns the answer to a query of last activity (XEP-0012 §4).
  /// - Returns: `nil` for an entity that may not see this account's presence.
  package func lastActivity(askedBy jid: JID?) async -> XEP0012LastActivity? {
    guard sendsIdle, own.availability != .offline, let jid = jid?.bare else { return nil }
    if jid != account {
      // A contact that cannot be looked up is treated as a stranger.
      let contact = try? await roster.contact(jid)
      guard let contact, [.from, .both].contains(contact.subscription) else { return nil }
    }
    // A client in use reports 0 seconds, not the time since the last keystroke.
    let seconds = idleSince.map { max(0, Int(now().timeIntervalSince($0))) } ?? 0
    return XEP0012LastActivity(seconds: seconds)
  }

  /// Sends the own presence; without a connection, as soon as a session starts or is resumed.
  private func sendPresence() async {
    isUnreported = true
    await follower?.ownPresenceChanged(own)
    guard let channel else { return }
    do { try await channel.send(presenceElement()) } catch { return }
    isUnreported = false
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    await recall()
    await sendPresence()
  }

  package func sessionResumed() async {
    // Without a connection no contact was shown as available. The server sends only what has
    // changed since (XEP-0198 §5).
    if !resources.isEmpty { hub.publish(.presenceChanged(resources.addresses.map(summary))) }
    if isUnreported { await sendPresence() }
  }

  package func sessionEnded() async {
    channel = nil
    let gone = resources.addresses.map { ContactPresence(jid: $0, availability: .offline) }
    resources.removeAll()
    repeated = []
    withdrawn = []
    if !gone.isEmpty { hub.publish(.presenceChanged(gone)) }
  }

  package func receive(_ stanzas: [Stanza]) async {
    var changed: [JID] = []
    // Occupants of rooms are not contacts.
    let presences = stanzas.compactMap { stanza -> (presence: PresenceStanza, from: JID)? in
      guard case .presence(let presence) = stanza, let from = presence.from,
        presence.element.first("x", XEP0045.user) == nil
      else { return nil }
      return (presence, from)
    }
    let strangers = await strangers(among: presences)
    for (presence, from) in presences {
      switch presence.kind {
      // Anyone may send presence, from any number of addresses.
      case .available, .unavailable: if strangers.contains(from.bare) { continue }
      default: break
      }
      switch presence.kind {
      case .available:
        let resource = from.resource ?? ""
        // An earlier presence of this client would be out of date.
        if resources.isFull, await isStranger(from.bare) {
          resources.remove(resource, of: from.bare)
        } else {
          resources.take(
            ResourcePresence(
              resource: resource, priority: presence.priority,
              availability: Availability(show: presence.show), status: presence.status,
              idleSince: XEP0319Idle.since(in: presence)), of: from.bare)
        }
        changed.append(from.bare)
      case .unavailable:
        resources.remove(from.resource, of: from.bare)
        changed.append(from.bare)
      // The request itself is an account event, which arrives by `apply`.
      case .subscribe: withdrawn.remove(from.bare)
      case .unsubscribe: await takeBack(requestOf: from.bare)
      default: break
      }
    }
    guard !changed.isEmpty else { return }
    var seen: Set<JID> = []
    hub.publish(.presenceChanged(changed.filter { seen.insert($0).inserted }.map(summary)))
  }

  /// Returns the unknown senders, whose presence is not kept: neither contacts nor peers of a
  /// conversation.
  private func strangers(among presences: [(presence: PresenceStanza, from: JID)]) async
    -> Set<JID>
  {
    let unknown = Set(presences.map(\.from.bare)).filter {
      $0 != account && !resources.contains($0)
    }
    guard !unknown.isEmpty else { return [] }
    do { return unknown.subtracting(try await roster.acquaintances(among: unknown)) } catch {
      // If the look-up fails, the presence of contacts must not be lost.
      log.warning("senders of presence could not be looked up: \(error)")
      return []
    }
  }

  /// Returns whether `jid` is neither the account nor a contact.
  private func isStranger(_ jid: JID) async -> Bool {
    guard jid != account else { return false }
    // If the look-up fails, the presence of contacts must not be lost.
    do { return try await roster.contact(jid) == nil } catch { return false }
  }

  /// Returns the available clients of a contact, best first.
  package func resources(of jid: JID) -> [ResourcePresence] {
    resources.resources(of: jid.bare)
  }

  /// Returns the best of a contact's resources: highest priority, then the most available (RFC 6121
  /// §8.5.2).
  private func summary(of jid: JID) -> ContactPresence {
    let best = resources(of: jid).first
    return ContactPresence(
      jid: jid, availability: best?.availability ?? .offline, status: best?.status)
  }

  private func presenceElement() -> Element {
    var presence = Element("presence", Namespace.client)
    if own.availability == .offline {
      presence["type"] = "unavailable"
      return presence
    }
    for element in own.elements { presence.append(element) }
    if own.priority != 0 {
      presence.append(Element("priority", Namespace.client, text: String(own.priority)))
    }
    if let idleSince { presence.append(XEP0319Idle.element(since: idleSince)) }
    if let capabilities = capabilities() { presence.append(capabilities) }
    return presence
  }
}

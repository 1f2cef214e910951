import NatterCore
import XMPP

/// Knows who can be reached: the presence of every contact's resources (RFC 6121 §4), and one's own.
package actor PresenceKeeper: SessionConsuming, PresenceReading, PresenceSetting {
  private struct Resource {
    var priority: Int
    var availability: Availability
    var status: String?
  }

  private let account: JID
  private let hub: EventHub
  /// What announces this client's features with each presence (XEP-0115).
  private let capabilities: @Sendable () -> Element?
  private var resources: [JID: [String: Resource]] = [:]
  private var requests: [JID] = []
  private var channel: (any StanzaChannel)?
  private var own: (availability: Availability, status: String?) = (.online, nil)

  /// - Parameter capabilities: asked for each presence that is sent: they need a hash, whose library is not to be loaded
  ///   before there is a connection.
  package init(
    account: JID, hub: EventHub, capabilities: @escaping @Sendable () -> Element?
  ) {
    self.account = account.bare
    self.hub = hub
    self.capabilities = capabilities
  }

  package func presence() -> [ContactPresence] { resources.keys.map(summary) }
  package func subscriptionRequests() -> [JID] { requests }

  package func setPresence(_ availability: Availability, status: String?) async throws {
    own = (availability, status)
    guard let channel else { return }  // Told to the server when there is a session.
    do { try await channel.send(ownPresence()) } catch { throw NatterError(answering: error) }
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    // When it cannot be sent the session is about to end, and the next one begins with it.
    try? await channel.send(ownPresence())
  }

  package func sessionEnded() async {
    channel = nil
    let gone = resources.keys.map { ContactPresence(jid: $0, availability: .offline) }
    resources.removeAll()
    requests.removeAll()
    if !gone.isEmpty { hub.publish(.presenceChanged(gone)) }
  }

  package func receive(_ stanzas: [Stanza]) async {
    var changed: [JID] = []
    for case .presence(let presence) in stanzas {
      // Who is in a room is no contact for it.
      guard let from = presence.from, presence.element.first("x", XEP0045.user) == nil else {
        continue
      }
      switch presence.kind {
      case .available:
        resources[from.bare, default: [:]][from.resource ?? ""] = Resource(
          priority: presence.priority, availability: Availability(show: presence.show),
          status: presence.status)
        changed.append(from.bare)
      case .unavailable:
        if let resource = from.resource {
          resources[from.bare]?[resource] = nil
        } else {
          resources[from.bare] = nil
        }
        changed.append(from.bare)
      case .subscribe where !requests.contains(from.bare):
        requests.append(from.bare)
        hub.publish(.subscriptionRequested(from.bare))
      default: break
      }
    }
    guard !changed.isEmpty else { return }
    var seen: Set<JID> = []
    hub.publish(.presenceChanged(changed.filter { seen.insert($0).inserted }.map(summary)))
  }

  /// Forgets a request once it was answered.
  package func settleRequest(from jid: JID) { requests.removeAll { $0 == jid.bare } }

  /// The best of a contact's resources: highest priority, then the most available (RFC 6121 §8.5.2).
  private func summary(of jid: JID) -> ContactPresence {
    let best = (resources[jid] ?? [:]).values.max { a, b in
      (a.priority, a.availability.rank) < (b.priority, b.availability.rank)
    }
    return ContactPresence(
      jid: jid, availability: best?.availability ?? .offline, status: best?.status)
  }

  private func ownPresence() -> Element {
    var presence = Element("presence", Namespace.client)
    if own.availability == .offline {
      presence["type"] = "unavailable"
      return presence
    }
    if let show = own.availability.show {
      presence.append(Element("show", Namespace.client, text: show))
    }
    if let status = own.status {
      presence.append(Element("status", Namespace.client, text: status))
    }
    if let capabilities = capabilities() { presence.append(capabilities) }
    return presence
  }
}

extension Availability {
  /// From a `<show/>` (RFC 6121 §4.7.2.1); an unknown one counts as online.
  init(show: String?) {
    switch show {
    case "away": self = .away
    case "xa": self = .extendedAway
    case "dnd": self = .busy
    case "chat": self = .chatty
    default: self = .online
    }
  }

  var show: String? {
    switch self {
    case .away: "away"
    case .extendedAway: "xa"
    case .busy: "dnd"
    case .chatty: "chat"
    case .online, .offline: nil
    }
  }

  /// How well somebody can be reached, for choosing among resources.
  var rank: Int {
    switch self {
    case .offline: 0
    case .extendedAway: 1
    case .away: 2
    case .busy: 3
    case .online: 4
    case .chatty: 5
    }
  }
}

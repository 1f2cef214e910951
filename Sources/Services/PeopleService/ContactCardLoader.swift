import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// Loads what contacts publish on request: cards, pictures, client versions, last activity.
///
/// Requests are sent only when the user opens a contact's details.
package actor ContactCardLoader: ChannelHolding, ContactDescribing {
  /// The timeout of a request to a contact's client or server.
  private static let patience = Duration.seconds(10)
  /// The number of a contact's clients that are queried for their version.
  private static let clientLimit = 8
  /// The most features that are kept of a client, and the longest of them, in bytes.
  private static let (featureLimit, featureBytes) = (500, 512)

  private let account: JID
  private let cards: any CardStoring
  private let profiles: any ProfileStoring
  private let blockList: any BlockListChanging
  private let presence: any ResourceReading
  private let avatars: any AvatarCaching
  private let hub: EventHub
  private let now: @Sendable () -> Date
  package var channel: (any StanzaChannel)?
  /// The full JID that the server assigned to this session.
  private var own: JID?
  private var clients: [JID: ContactClient] = [:]
  /// The numbers of the queries of clients that have not gone offline since.
  private var queries: [JID: Int] = [:]
  private var queryCount = 0
  private var lastSeen: [JID: (date: Date, status: String?)] = [:]

  package init(
    account: JID, cards: any CardStoring, profiles: any ProfileStoring,
    blockList: any BlockListChanging, presence: any ResourceReading, avatars: any AvatarCaching,
    hub: EventHub, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.account = account.bare
    self.cards = cards
    self.profiles = profiles
    self.blockList = blockList
    self.presence = presence
    self.avatars = avatars
    self.hub = hub
    self.now = now
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    own = session.jid
  }

  package func sessionEnded() async {
    (channel, own) = (nil, nil)
    (clients, queries) = ([:], [:])
    lastSeen = [:]
  }

  /// Forgets a client that went offline: another program may return under the same resource.
  package func receive(_ stanzas: [Stanza]) async {
    for case .presence(let presence) in stanzas {
      guard let from = presence.from else { continue }
      switch presence.kind {
      case .unavailable where from.resource == nil:
        for jid in clients.keys where jid.bare == from { clients[jid] = nil }
        for jid in queries.keys where jid.bare == from { queries[jid] = nil }
      case .unavailable: (clients[from], queries[from]) = (nil, nil)
      default: break
      }
    }
  }

  /// Returns what is stored of a contact, without a request.
  package func details(of jid: JID) async throws -> ContactDetails {
    let jid = jid.bare
    var details = ContactDetails()
    details.card = try await cards.card(of: jid)
    if let id = try await profiles.profile(of: jid)?.avatarID {
      details.avatar = await avatars.avatar(id)
    }
    if let blocked = try await blockList.blocked().first(where: { $0.jid == jid }) {
      details.isBlocked = blocked.isBlocked
      details.blockWaits = blocked.change?.isWaiting ?? false
    }
    let resources = await presence.resources(of: jid)
    details.clients = resources.enumerated().map { index, resource in
      var client = ContactClient(presence: resource)
      let full = jid.with(resource: resource.resource)
      client.isThisProgram = full != nil && full == own
      if let known = full.flatMap({ clients[$0] }) {
        (client.name, client.version) = (known.name, known.version)
        (client.system, client.features) = (known.system, known.features)
      } else {
        client.needsAsking = full != nil && index < Self.clientLimit
      }
      return client
    }
    if details.clients.isEmpty, let seen = lastSeen[jid] {
      (details.lastSeen, details.lastStatus) = (seen.date, seen.status)
    }
    return details
  }

  /// Requests the card, the picture, the client versions or the last activity of a contact, and
  /// returns the new details.
  /// - Throws: `NatterError`, also without a connection.
  package func refreshedDetails(of jid: JID) async throws -> ContactDetails {
    let channel = try openChannel()
    let jid = jid.bare
    let resources = await presence.resources(of: jid)
    do {
      async let card: Void = readCard(of: jid, channel)
      async let picture: Void = readAvatar(of: jid, channel)
      async let activity: Void = resources.isEmpty ? readActivity(of: jid, channel) : ()
      for resource in resources.prefix(Self.clientLimit) {
        if let full = jid.with(resource: resource.resource), clients[full] == nil {
          try await readClient(full, resource, channel)
        }
      }
      _ = try await (card, picture, activity)
    } catch {
      throw NatterError(answering: error)
    }
    hub.publish(.cardChanged(jid))
    return try await details(of: jid)
  }

  private func readCard(of jid: JID, _ channel: any StanzaChannel) async throws {
    do {
      // The own card may be changed while it is read.
      let known = try await cards.card(of: jid)
      let card = try await CardExchange(account: account, channel: channel).card(of: jid)
      try await cards.save(StoredCard(card: card, readAt: now()), of: jid, replacing: known)
    } catch is StanzaError {
      // The contact's server does not answer, or the card is too large: the stored card stays.
    }
  }

  private func readAvatar(of jid: JID, _ channel: any StanzaChannel) async throws {
    var known = try await profiles.profile(of: jid)?.avatarID
    if known == nil { known = try await readAvatarID(of: jid, channel) }
    guard let id = known else { return try await readOlderAvatar(of: jid, channel) }
    guard await avatars.avatar(id) == nil else { return }
    do {
      let answer = try await channel.request(XEP0084.request(id, of: jid))
      guard let base64 = XEP0084.base64(in: answer), base64.utf8.count <= XEP0084.limit / 3 * 4
      else { return }
      _ = await avatars.keepAvatar(base64: base64, id: id)
    } catch is StanzaError {
      // The contact announces a picture and denies access to it.
    }
  }

  /// Returns the ID of the contact's current picture, for a contact who was not online to announce
  /// it. One that is announced meanwhile is newer than the answer.
  private func readAvatarID(of jid: JID, _ channel: any StanzaChannel) async throws -> String? {
    var question = XEP0060.items(of: XEP0084.metadata)
    question["to"] = jid.description
    do {
      let item = XEP0060.items(in: try await channel.request(question)).last
      guard let id = XEP0084.Picture(item: item)?.id else { return nil }
      return try await profiles.addAvatarID(id, of: jid)
    } catch is StanzaError {
      return nil
    }
  }

  /// Loads the picture in the older card (XEP-0153), which is not announced to clients that were
  /// offline.
  private func readOlderAvatar(of jid: JID, _ channel: any StanzaChannel) async throws {
    do {
      let exchange = CardExchange(account: account, channel: channel)
      guard let base64 = try await exchange.olderPhoto(of: jid),
        base64.utf8.count <= XEP0084.limit / 3 * 4,
        let picture = await avatars.keepAvatar(base64: base64, id: nil)
      else { return }
      _ = try await profiles.addAvatarID(picture.id, of: jid)
    } catch is StanzaError {
      // The contact has no such card.
    }
  }

  /// Returns the picture of a room with this ID, from the cache or from the room.
  /// - Returns: `nil` if the room denies access.
  /// - Throws: `NatterError`, also without a connection.
  package func picture(_ id: String, of room: JID) async throws -> AvatarPicture? {
    if let known = await avatars.avatar(id) { return known }
    let channel = try openChannel()
    do {
      guard
        let base64 = try await CardExchange(account: account, channel: channel)
          .olderPhoto(of: room), base64.utf8.count <= XEP0084.limit / 3 * 4
      else { return nil }
      return await avatars.keepAvatar(base64: base64, id: id)
    } catch is StanzaError {
      // The room has a picture and denies access to it.
      return nil
    } catch {
      throw NatterError(answering: error)
    }
  }

  private func readActivity(of jid: JID, _ channel: any StanzaChannel) async throws {
    let question = Element(
      "iq", Namespace.client, ["type": "get", "to": jid.description],
      [Element("query", XEP0012LastActivity.namespace)])
    do {
      let answer = try await channel.request(question, timeout: Self.patience)
      guard
        let activity = answer.first("query", XEP0012LastActivity.namespace).flatMap({
          XEP0012LastActivity($0)
        })
      else { return }
      lastSeen[jid] = (now().addingTimeInterval(-Double(activity.seconds)), activity.status)
    } catch is StanzaError {
      // Servers answer contacts only.
    }
  }

  private func readClient(
    _ jid: JID, _ presence: ResourcePresence, _ channel: any StanzaChannel
  ) async throws {
    queryCount += 1
    let query = queryCount
    queries[jid] = query
    defer { if queries[jid] == query { queries[jid] = nil } }
    var client = ContactClient(presence: presence)
    if let answer = try await answer(to: Namespace.version, of: jid, channel),
      let version = answer.first("query", Namespace.version).flatMap({ XEP0092Version($0) })
    {
      client.name = version.name
      (client.version, client.system) = (version.version, version.system)
    }
    if let answer = try await answer(to: Namespace.discoInfo, of: jid, channel),
      let found = answer.first("query", Namespace.discoInfo).flatMap({ XEP0030Discovery($0) })
    {
      // What is kept of a client until it goes offline is bounded: it may answer anything.
      client.features = Set(
        found.features.filter { $0.utf8.count <= Self.featureBytes }.prefix(Self.featureLimit))
      client.name =
        client.name
        ?? found.identities.lazy.compactMap(\.name).first?.beginning(bytes: Self.featureBytes)
    }
    // The client may have gone offline since the question.
    if queries[jid] == query { clients[jid] = client }
  }

  /// Returns the answer of a client; `nil` if it refuses or does not answer in time.
  private func answer(to namespace: String, of jid: JID, _ channel: any StanzaChannel) async throws
    -> Element?
  {
    let question = Element(
      "iq", Namespace.client, ["type": "get", "to": jid.description],
      [Element("query", namespace)])
    do { return try await channel.request(question, timeout: Self.patience) } catch is StanzaError {
      return nil
    } catch ChannelError.timedOut {
      return nil
    }
  }
}

import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The details of one contact: from the database at once, from the contact on request.
final class ContactCardViewModel {
  /// Called when there is something else to show.
  var onChange: () -> Void = {}

  private let shell: ShellViewModel
  private var jid: JID?
  private(set) var details: ContactDetails? {
    didSet { if details?.avatar != oldValue?.avatar { lookAtPicture() } }
  }
  /// The contact's picture, once it was loaded.
  private(set) var picture: PictureFile?
  /// The names of the rooms that the contact is in, too.
  private var sharedRooms: [String] = []
  private var isAsking = false
  /// Indicates whether the user asked for details: then the contact's new clients are asked, too.
  private var wantsToKnow = false
  /// Indicates whether the contact came online with another client while a request was running.
  private var hasNewcomers = false
  /// The contacts by the look of their addresses; `nil` until computed in the background.
  private var lookalikes: LookalikeAddresses?
  private var isIndexing = false
  /// Contacts that came (true) or went (false) while `lookalikes` was computed, by the last event.
  private var comers: [JID: Bool] = [:]

  init(shell: ShellViewModel) { self.shell = shell }

  private var localizer: Localizer { shell.format.localizer }

  func handle(_ event: DomainEvent) {
    switch event {
    case .contactsChanged(let changed):
      for contact in changed { note(contact.jid, isThere: true) }
    case .contactsRemoved(let removed):
      for jid in removed { note(jid, isThere: false) }
    case .cardChanged(let changed) where changed == jid: load()
    case .blockListChanged: load()
    case .presenceChanged(let changed):
      if changed.contains(where: { $0.jid == jid }) { load() }
    case .connectionChanged(let state): if state.isOnline, wantsToKnow { load() }
    default: break
    }
  }

  private func note(_ jid: JID, isThere: Bool) {
    if isIndexing { comers[jid] = isThere }
    if isThere { lookalikes?.add(jid) } else { lookalikes?.remove(jid) }
  }

  /// Shows another one.
  func show(_ jid: JID?) {
    guard jid != self.jid else { return }
    self.jid = jid
    details = nil
    sharedRooms = []
    (isAsking, wantsToKnow, hasNewcomers) = (false, false, false)
    load()
  }

  private func load() {
    indexAddresses()
    guard let jid, let service = shell.ports.people?.describing else { return }
    shell.lifetime.inOrder { [weak self] in
      guard let self else { return }
      do {
        let details = try await service.details(of: jid)
        let rooms = await shell.rooms(with: jid)
        guard self.jid == jid else { return }
        (self.details, sharedRooms) = (details, rooms)
        onChange()
        askNewcomers()
      } catch {
        shell.report(error)
      }
    }
  }

  /// Asks the contact's server and clients. Without a connection the stored details are shown.
  func look() {
    wantsToKnow = true
    guard let jid, !isAsking, shell.connectionState.isOnline,
      let service = shell.ports.people?.describing
    else { return }
    isAsking = true
    onChange()
    shell.lifetime.aside { [weak self] in
      var fresh: ContactDetails?
      do { fresh = try await service.refreshedDetails(of: jid) } catch { self?.shell.report(error) }
      guard let self, self.jid == jid else { return }
      isAsking = false
      if let fresh { details = fresh }
      onChange()
      if hasNewcomers { askNewcomers() }
    }
  }

  /// Asks clients that the contact has signed in with since the last request.
  private func askNewcomers() {
    hasNewcomers = wantsToKnow && details?.clients.contains(where: \.needsAsking) == true
    if hasNewcomers, !isAsking {
      hasNewcomers = false
      look()
    }
  }

  /// As `look`, once the stored details were read, unless they are from a moment ago.
  func look(unlessReadWithin freshness: Double) {
    let jid = jid
    shell.lifetime.inOrder { [weak self] in
      guard let self, self.jid == jid else { return }
      let readAt = details?.card?.readAt
      if readAt?.isRecent(freshness, at: shell.now()) != true { look() }
    }
  }

  private func lookAtPicture() {
    picture = nil
    guard let avatar = details?.avatar else { return }
    shell.lifetime.aside { [weak self, shell] in
      let picture = await shell.picture(of: avatar)
      guard let self, details?.avatar == avatar else { return }
      self.picture = picture
      onChange()
    }
  }

  // MARK: As text

  /// The warnings that come first, as the address may be a trick (XEP-0165).
  var warnings: [DetailItem] {
    guard let jid, let lookalikes else { return [] }
    var texts = lookalikes.twins(of: jid).map {
      localizer(
        "contact.lookalike", ["address": $0.shown, "name": shell.people.name(of: $0)])
    }
    if lookalikes.mixesScripts(jid) { texts.append(localizer("contact.mixed")) }
    return texts.map { DetailItem(localizer("contact.careful"), $0) }
  }

  private func indexAddresses() {
    guard jid != nil, lookalikes == nil, !isIndexing else { return }
    isIndexing = true
    let others = Array(shell.people.contacts.keys)
    shell.lifetime.aside { [weak self] in
      var made = await LookalikeAddresses.of(others)
      guard let self else { return }
      for (jid, isThere) in comers { if isThere { made.add(jid) } else { made.remove(jid) } }
      (lookalikes, comers, isIndexing) = (made, [:], false)
      onChange()
    }
  }

  var items: [DetailItem] {
    guard let details else { return [] }
    let format = shell.format
    var items: [DetailItem] = []
    func add(_ key: String, _ text: String) { items.append(DetailItem(localizer(key), text)) }
    if details.isBlocked {
      add(
        "contact.blocked",
        localizer(details.blockWaits ? "contact.blockedWaits" : "contact.blockedText"))
    }
    if let seen = details.lastSeen {
      let time = format.day(seen, now: shell.now()) + " " + format.time(seen)
      add(
        "contact.lastSeen",
        details.lastStatus.map { time + " " + localizer("header.status", ["text": $0]) } ?? time)
    }
    for client in details.clients { add("contact.client", text(of: client)) }
    let features = Self.features.filter { feature in
      details.clients.contains { !$0.features.isDisjoint(with: feature.namespaces) }
    }
    if !features.isEmpty {
      add(
        "contact.can", localizer.list(features.map { localizer("contact.can.\($0.key)") }))
    }
    if let card = details.card?.card {
      for field in PersonCard.Field.allCases where !card[field].isEmpty {
        add("profile.field.\(field.rawValue)", card[field])
      }
    }
    if let picture = details.avatar {
      add("contact.picture", format.text(of: picture))
    }
    if !sharedRooms.isEmpty { add("contact.rooms", localizer.list(sharedRooms)) }
    if isAsking {
      add("contact.card", localizer("contact.asking"))
    } else if let readAt = details.card?.readAt {
      add(
        "contact.card",
        localizer(
          "contact.readAt",
          ["time": format.day(readAt, now: shell.now()) + " " + format.time(readAt)]))
    }
    return items
  }

  /// Returns the row of a change that the server does not have yet, or refused.
  func detail(of change: ContactChange) -> DetailItem {
    let (kind, text) =
      switch change.operation {
      case .add: ("add", "")
      case .rename(let name): ("rename", name ?? change.jid.shown)
      case .regroup(let groups): ("regroup", localizer.list(groups))
      case .remove: ("remove", "")
      case .ask: ("ask", "")
      case .approve: ("approve", "")
      case .deny: ("deny", "")
      case .block: ("block", "")
      case .unblock: ("unblock", "")
      }
    let done = localizer("contact.change.\(kind)", ["text": text])
    guard let refusal = change.refusal else {
      return DetailItem(localizer("contact.waits"), done)
    }
    return DetailItem(
      localizer("contact.refused"), "\(done) (\(ErrorText.oneLine(localizer(refusal))))")
  }

  private func text(of client: ContactClient) -> String {
    let presence = client.presence
    let name = [client.name ?? Self.program(in: presence.resource), client.version ?? ""]
      .map { $0 ?? localizer("contact.unnamed") }.filter { !$0.isEmpty }
      .joined(separator: " ")
    var parts = [name]
    if let system = client.system, !system.isEmpty { parts.append(system) }
    parts.append(shell.format.presence(presence.availability))
    if let idle = presence.idleSince {
      parts.append(
        localizer(
          "contact.idle",
          ["time": shell.format.day(idle, now: shell.now()) + " " + shell.format.time(idle)]))
    }
    // From outside: cut before it fills the page.
    return localizer.list(parts.map { String($0.prefix(80)) })
  }

  /// The program that a resource is named after, without the random part: `Natter~5ce99b5b95c5`,
  /// `gajim.IXBS7DPL`, `Conversations.QrTw`. `nil`: it is only a number, or empty.
  static func program(in resource: String) -> String? {
    let name = resource.prefix { !"~./-_ ".contains($0) }
    // Random names mix capitals and small letters, and go on after a digit.
    let pairs = zip(name, name.dropFirst())
    guard !pairs.contains(where: { $0.isNumber && $1.isLetter }),
      pairs.count(where: { $0.isLowercase && $1.isUppercase }) < 3
    else { return nil }
    let digits = name.count(where: \.isNumber)
    guard name.contains(where: \.isLetter), digits * 4 < name.count || digits <= 1 else {
      return nil
    }
    return name.count < resource.count && name.count < 3 ? resource : String(name)
  }

  /// The features of clients that matter to a sender.
  private static let features: [(key: String, namespaces: Set<String>)] = [
    ("receipts", ["urn:xmpp:receipts"]),
    ("markers", ["urn:xmpp:chat-markers:0"]),
    ("typing", ["http://jabber.org/protocol/chatstates"]),
    ("corrections", ["urn:xmpp:message-correct:0"]),
    ("reactions", ["urn:xmpp:reactions:0"]),
    ("files", ["jabber:x:oob", "urn:xmpp:sfs:0"]),
    (
      "calls",
      ["urn:xmpp:jingle:apps:rtp:audio", "urn:xmpp:jingle:apps:rtp:video"]
    ),
    (
      "encryption",
      ["eu.siacs.conversations.axolotl.devicelist+notify", "urn:xmpp:omemo:2:devices+notify"]
    ),
  ]
}

extension ShellViewModel {
  /// A contact's picture as it is on this disk, to be drawn.
  func picture(of avatar: AvatarPicture) async -> PictureFile? {
    guard case .picture(let file) = await ports.files?.looking?.preview(of: avatar.path) else {
      return nil
    }
    return file
  }

  /// The names of the rooms shared with `jid`, as far as rooms reveal the occupants' addresses.
  func rooms(with jid: JID) async -> [String] {
    guard let reading = ports.rooms?.reading else { return [] }
    var names: [String] = []
    for room in await reading.rooms() where room.phase == .inside {
      let isThere = await reading.occupants(of: room.jid).contains { $0.jid?.bare == jid.bare }
      if isThere { names.append(people.name(of: room.jid)) }
    }
    return names.sorted()
  }
}

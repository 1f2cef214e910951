import FoundationEssentials
import NatterCore
import XMPP

/// The page of the own server's parts: what each is, and what it can do, in words.
package final class ServicesPage: CardPage {
  package let id = "services"
  package let rows = FilteredRows<String>()

  private let shell: ShellViewModel
  private let finder: any ServerPartFinding
  private var known = ServerParts()
  /// Whether reading it has begun, from when on what changes is read, and whether it was read once.
  private var (hasBegun, hasLoaded) = (false, false)
  private var isReading = false

  /// What is older is asked anew when the person comes to the page.
  private static let freshness: TimeInterval = 86_400

  package init(shell: ShellViewModel, finder: any ServerPartFinding) {
    self.shell = shell
    self.finder = finder
    shell.follow { [weak self] in
      if case .serverPartsChanged = $0, self?.hasBegun == true { self?.load() }
    }
  }

  private var localizer: Localizer { shell.format.localizer }

  package func appeared() { load() }

  private func load() {
    hasBegun = true
    shell.lifetime.inOrder { [weak self, finder] in
      do {
        let parts = try await finder.parts()
        self?.take(parts)
      } catch {
        self?.shell.report(error)
      }
    }
  }

  private func take(_ parts: ServerParts) {
    known = parts
    rows.load(known.parts.map(\.jid.description)) { [weak self] in
      guard let self else { return "" }
      let card = card($0)
      return "\(card.title) \(known.parts[$0].jid) \(card.note) \(card.text)"
    }
    guard !hasLoaded else { return }
    hasLoaded = true
    let isFresh = known.readAt.map { shell.now().timeIntervalSince($0) < Self.freshness } ?? false
    if !isFresh, shell.connectionState.isOnline { refresh() }
  }

  private func refresh() {
    guard !isReading else { return }
    isReading = true
    rows.onChange()
    shell.lifetime.aside { [weak self, finder] in
      do { try await finder.refreshParts() } catch { self?.shell.report(error) }
      self?.isReading = false
      self?.rows.onChange()
    }
  }

  // MARK: - What is shown

  /// What is told of an entity by its identity (XEP-0030, the registry of categories), in a word.
  private static let kinds: [String: String] = [
    "server": "server", "conference": "rooms", "store": "files", "pubsub": "publishing",
    "proxy": "proxy", "directory": "directory", "gateway": "gateway", "headline": "news",
    "automation": "automation",
  ]

  /// What some features are good for, in the order in which they are told.
  private static let features: [(namespace: String, key: String)] = [
    (XEP0045.namespace, "rooms"), (XEP0363Slot.namespace, "upload"),
    (Namespace.pubSub, "publish"), (Namespace.archive, "archive"),
    (XEP0280Carbon.namespace, "carbons"), ("urn:xmpp:blocking", "blocking"),
    ("urn:xmpp:push:0", "push"), ("msgoffline", "offline"), ("vcard-temp", "cards"),
    (Namespace.register, "register"), ("jabber:iq:search", "search"),
    ("http://jabber.org/protocol/bytestreams", "proxy"), (XEP0050.namespace, "commands"),
    (Namespace.occupantID, "occupants"), (Namespace.ping, "ping"), (Namespace.time, "time"),
  ]

  private func kind(of part: ServerPart) -> String {
    // A server of many talents is a server first.
    let identities = part.discovery?.identities ?? []
    let category = (identities.first { $0.category == "server" } ?? identities.first)?.category
    guard let category else { return "" }
    return Self.kinds[category].map { localizer("discover.kind.\($0)") }
      ?? ProblemText.oneLine(category)
  }

  private func features(of part: ServerPart) -> [String] {
    let offered = part.discovery?.features ?? []
    return Self.features.filter { offered.contains($0.namespace) }
      .map { localizer("discover.feature.\($0.key)") }
  }

  private func name(of part: ServerPart) -> String {
    ProblemText.oneLine(part.name ?? part.jid.description)
  }

  package func card(_ index: Int) -> CardItem {
    let part = known.parts[index]
    return CardItem(
      title: name(of: part), note: kind(of: part),
      text: part.discovery == nil
        ? localizer("discover.silent") : localizer.list(features(of: part)))
  }

  package var headings: CardItem {
    CardItem(
      title: localizer("discover.services.name"), note: localizer("discover.services.kind"),
      text: localizer("discover.services.offers"))
  }

  package var headline: String {
    let place = shell.format.account.domain
    if isReading { return localizer("discover.reading", ["place": place]) }
    guard let readAt = known.readAt else { return place }
    return localizer(
      "discover.asOf", ["place": place, "time": shell.format.moment(readAt, now: shell.now())])
  }

  package var count: String { localizer.plural("discover.services", rows.shown.count) }

  package var emptyText: String {
    if rows.count > 0 { return localizer("sidebar.noneMatch") }
    return localizer(
      shell.connectionState.isOnline ? "discover.services.reading" : "discover.services.offline")
  }

  private var selected: ServerPart? { rows.selectedIndex.map { known.parts[$0] } }

  package var summary: [String] {
    guard let part = selected else { return [] }
    return [
      [part.jid.description, kind(of: part)].filter { !$0.isEmpty }.joined(separator: "  "),
      localizer.list(features(of: part)),
    ].filter { !$0.isEmpty }
  }

  // MARK: - What the person does

  package var actions: Set<CardAction> { [.open, .refresh] }

  package func perform(_ action: CardAction) {
    switch action {
    case .open: if let selected { show(selected) }
    case .refresh: refresh()
    default: break
    }
  }

  package func show(item: String) { rows.select(item) }

  /// Everything that a part says of itself.
  private func show(_ part: ServerPart) {
    func entry(_ key: String, _ text: String) -> FormField {
      FormField(.entry(term: localizer("discover.part.\(key)")), key, label: text)
    }
    var fields = [entry("address", part.jid.description)]
    let identities = (part.discovery?.identities ?? []).map { "\($0.category)/\($0.type)" }
    if !identities.isEmpty {
      fields.append(entry("identity", ProblemText.oneLine(localizer.list(identities))))
    }
    let words = features(of: part)
    if !words.isEmpty { fields.append(entry("offers", localizer.list(words))) }
    let named = Set(Self.features.map(\.namespace))
    let others = (part.discovery?.features ?? []).subtracting(named).sorted()
    if !others.isEmpty {
      fields.append(FormField(.spacer, "gap-others"))
      fields.append(FormField(.paragraph, "others", label: localizer("discover.part.others")))
      // A server that claims endless features must not fill the memory of whoever looks.
      fields += others.prefix(100).enumerated().map {
        FormField(.paragraph, "other\($0)", label: "  " + ProblemText.oneLine($1))
      }
    }
    fields.append(FormField(.spacer, "gap"))
    let isOfRooms = part.discovery?.features.contains(XEP0045.namespace) == true
    if isOfRooms {
      fields.append(FormField(.button, "rooms", label: localizer("discover.part.rooms")))
    }
    if part.discovery?.features.contains(XEP0050.namespace) == true,
      shell.ports.people?.commands != nil
    {
      fields.append(FormField(.button, "commands", label: localizer("contact.commands")))
    }
    fields.append(FormField(.button, "close", label: localizer("discover.close")))
    let form = FormViewModel(
      title: name(of: part), fields: fields, keyHints: [localizer.wayOut("dialog.keysClose")],
      defaultButton: isOfRooms ? "rooms" : "close")
    let close = shell.actions.showForm(form)
    form.onCancel = close
    form.onPress = { [weak self] id in
      close()
      guard let self else { return }
      if id == "commands" { shell.chooseRemoteCommand(of: part.jid) }
      guard id == "rooms" else { return }
      do {
        try shell.actions.request("discover/search", ["text": "@\(part.jid)"])
      } catch {
        shell.report(error)
      }
    }
  }
}

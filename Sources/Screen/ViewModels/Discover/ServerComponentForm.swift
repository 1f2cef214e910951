import NatterCore
import Text
import XML
import XMPP

/// The details that a component of the server, or another service, publishes about itself.
struct ServerComponentForm {
  let shell: ShellViewModel

  private var localizer: Localizer { shell.format.localizer }

  /// The limit of items, because a service may claim any number of them.
  private static let limit = 100

  /// The kinds of entities by the category of their identity (XEP-0030, the registry of
  /// categories).
  private static let kinds: [String: String] = [
    "server": "server", "conference": "rooms", "store": "files", "pubsub": "publishing",
    "proxy": "proxy", "directory": "directory", "gateway": "gateway", "headline": "news",
    "automation": "automation",
  ]

  /// The features with a description, in the order of display.
  private static let features: [(namespace: String, key: String)] = [
    (XEP0045.namespace, "rooms"), (XEP0363Slot.namespace, "upload"),
    (Namespace.pubSub, "publish"), (Namespace.archive, "archive"),
    (XEP0280Carbon.namespace, "carbons"), ("urn:xmpp:blocking", "blocking"),
    ("urn:xmpp:push:0", "push"), ("msgoffline", "offline"), ("vcard-temp", "cards"),
    (Namespace.register, "register"), ("jabber:iq:search", "search"),
    ("http://jabber.org/protocol/bytestreams", "proxy"), (XEP0050.namespace, "commands"),
    (Namespace.occupantID, "occupants"), (Namespace.ping, "ping"), (Namespace.time, "time"),
  ]

  /// Returns the kind in a word; empty if it is unknown.
  func kind(of part: ServerComponent) -> String {
    // A server with several identities is a server first.
    let identities = part.discovery?.identities ?? []
    let category = (identities.first { $0.category == "server" } ?? identities.first)?.category
    guard let category else { return "" }
    return Self.kinds[category].map { localizer("discover.kind.\($0)") }
      ?? ErrorText.oneLine(category)
  }

  /// Returns descriptions of its features.
  func features(of part: ServerComponent) -> [String] {
    let offered = part.discovery?.features ?? []
    return Self.features.filter { offered.contains($0.namespace) }
      .map { localizer("discover.feature.\($0.key)") }
  }

  func name(of part: ServerComponent) -> String {
    ErrorText.oneLine(part.name ?? part.jid.description)
  }

  /// Shows everything that a component publishes about itself.
  /// - Parameter node: the node to show; empty: the component itself.
  func show(_ part: ServerComponent, node: String = "") {
    var fields = head(part.jid, node)
    let identities = (part.discovery?.identities ?? []).map { "\($0.category)/\($0.type)" }
    if !identities.isEmpty {
      fields.append(entry("identity", ErrorText.oneLine(localizer.list(identities))))
    }
    let words = features(of: part)
    if !words.isEmpty { fields.append(entry("offers", localizer.list(words))) }
    let named = Set(Self.features.map(\.namespace))
    let others = (part.discovery?.features ?? []).subtracting(named).sorted()
    if !others.isEmpty {
      fields.append(FormField(.spacer, "gap-others"))
      fields.append(FormField(.paragraph, "others", label: localizer("discover.part.others")))
      fields += others.prefix(Self.limit).enumerated().map {
        FormField(.paragraph, "other\($0)", label: "  " + ErrorText.oneLine($1))
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
    open(name(of: part), fields, isOfRooms ? "rooms" : "close") { [shell] id in
      if id == "commands" { shell.chooseRemoteCommand(of: part.jid) }
      guard id == "rooms" else { return }
      do {
        try shell.actions.request("discover/search", ["text": "@\(part.jid)"])
      } catch {
        shell.report(error)
      }
    }
  }

  /// Shows the items that a service lists under a node.
  func show(_ items: [XEP0030Item], of jid: JID, node: String) {
    var fields = head(jid, node)
    fields += [
      FormField(.spacer, "gap-items"),
      FormField(
        .paragraph, "items",
        label: localizer(items.isEmpty ? "discover.part.noItems" : "discover.part.items")),
    ]
    fields += items.prefix(Self.limit).enumerated().map { offset, item in
      let words = [item.name, item.jid.description, item.node].compactMap { $0 }
        .map(ErrorText.oneLine).filter { !$0.isEmpty }
      return FormField(.paragraph, "item\(offset)", label: "  " + words.joined(separator: "  "))
    }
    fields += [
      FormField(.spacer, "gap"),
      FormField(.button, "close", label: localizer("discover.close")),
    ]
    open(jid.description, fields, "close") { _ in }
  }

  private func entry(_ key: String, _ text: String) -> FormField {
    FormField(.entry(term: localizer("discover.part.\(key)")), key, label: text)
  }

  private func head(_ jid: JID, _ node: String) -> [FormField] {
    [entry("address", jid.description)]
      + (node.isEmpty ? [] : [entry("node", ErrorText.oneLine(node))])
  }

  private func open(
    _ title: String, _ fields: [FormField], _ button: FormField.ID,
    press: @escaping (FormField.ID) -> Void
  ) {
    let form = FormViewModel(
      title: title, fields: fields, keyHints: [localizer.wayOut("dialog.keysClose")],
      defaultButton: button)
    let close = shell.actions.showForm(form)
    form.onCancel = close
    form.onPress = {
      close()
      press($0)
    }
  }
}

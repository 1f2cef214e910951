import XML
import XMPP

/// The archiving preferences of an account (XEP-0313 §6).
struct ArchivePreferences: Hashable, Sendable {
  enum Choice: String, Sendable { case always, never, roster }

  var standard = Choice.always
  /// Bare or full addresses, as in `never`.
  var always: Set<JID> = []
  var never: Set<JID> = []

  init() {}

  /// Parses a `<prefs/>`; `nil` for an invalid value, an invalid address or more than 1000
  /// addresses.
  init?(_ element: Element) {
    guard let standard = Choice(rawValue: element["default"] ?? "") else { return nil }
    self.standard = standard
    guard let always = Self.addresses(element, "always"),
      let never = Self.addresses(element, "never"), always.count + never.count <= 1000
    else { return nil }
    self.always = always
    self.never = never
  }

  private static func addresses(_ element: Element, _ name: String) -> Set<JID>? {
    var addresses: Set<JID> = []
    for child in element.first(name, Namespace.archive)?.all("jid", Namespace.archive) ?? [] {
      guard let address = Address.parse(child.text) else { return nil }
      addresses.insert(address)
    }
    return addresses
  }

  /// Returns whether messages with `peer` are archived.
  func archives(_ peer: JID, isContact: () throws -> Bool) rethrows -> Bool {
    if !never.isDisjoint(with: [peer, peer.bare]) { return false }
    if !always.isDisjoint(with: [peer, peer.bare]) { return true }
    switch standard {
    case .always: return true
    case .never: return false
    case .roster: return try isContact()
    }
  }

  var element: Element {
    func list(_ name: String, _ addresses: Set<JID>) -> Element {
      Element(
        name, Namespace.archive, [:],
        addresses.map(\.description).sorted().map { Element("jid", Namespace.archive, text: $0) })
    }
    return Element(
      "prefs", Namespace.archive, ["default": standard.rawValue],
      [list("always", always), list("never", never)])
  }
}

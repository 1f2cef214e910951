/// What of a chat is told, as the account keeps it with the chat's bookmark (XEP-0492 §2.1).
package enum XEP0492Notification: String, Hashable, Sendable, CaseIterable {
  case always
  case onMention = "on-mention"
  case never

  package static let namespace = "urn:xmpp:notification-settings:1"

  /// Reads what holds for every kind of client; `nil` where nothing is said.
  /// - Parameter extensions: those of the bookmark (XEP-0402 §2).
  package init?(extensions: Element?) {
    let settings = extensions?.first("notify", Self.namespace)?.elements ?? []
    let found = settings.lazy.filter { $0.namespace == Self.namespace && $0.attributes.isEmpty }
      .compactMap { Self(rawValue: $0.name) }.first
    guard let found else { return nil }
    self = found
  }

  /// The extensions of a bookmark with this setting in them; what other kinds of clients keep there stays.
  /// - Parameter setting: `nil` takes out what holds for every kind.
  package static func extensions(_ old: Element?, with setting: XEP0492Notification?) -> Element? {
    let others = old?.elements.filter { !$0.is("notify", namespace) } ?? []
    let kept =
      old?.first("notify", namespace)?.elements.filter {
        !$0.attributes.isEmpty || Self(rawValue: $0.name) == nil
      } ?? []
    let own = setting.map { [Element($0.rawValue, namespace)] } ?? []
    let notify =
      own.isEmpty && kept.isEmpty ? [] : [Element("notify", namespace, [:], own + kept)]
    guard !(others + notify).isEmpty else { return nil }
    return Element("extensions", XEP0402Bookmark.namespace, [:], others + notify)
  }
}

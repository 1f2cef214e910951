import XML

/// The notification setting of a chat, which the account stores in the chat's bookmark
/// (XEP-0492 §2.1).
package enum XEP0492Notification: String, Hashable, Sendable, CaseIterable, Codable {
  case always
  case onMention = "on-mention"
  case never

  package static let namespace = "urn:xmpp:notification-settings:1"

  /// Reads the setting for all kinds of clients; `nil` when there is none.
  /// - Parameter extensions: The extensions of the bookmark (XEP-0402 §2).
  package init?(extensions: Element?) {
    let settings = extensions?.first("notify", Self.namespace)?.elements ?? []
    let found = settings.lazy.filter { $0.namespace == Self.namespace && $0.attributes.isEmpty }
      .compactMap { Self(rawValue: $0.name) }.first
    guard let found else { return nil }
    self = found
  }

  /// Returns the extensions of a bookmark with this setting; keeps those of other kinds of clients.
  /// - Parameter setting: `nil` removes the setting for all kinds of clients.
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

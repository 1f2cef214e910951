import XML

/// An `<item/>` of a roster result or push (RFC 6121 §2.1.2).
package struct RosterItem: Hashable, Sendable {
  package let jid: JID
  package let name: String?
  /// `none`, `to`, `from`, `both` or `remove`, unchecked; `none` when it is missing.
  package let subscription: String
  /// Indicates whether the account's own request waits for an answer (`ask='subscribe'`, §2.1.2.2).
  package let isPending: Bool
  package let groups: [String]

  /// Reads an `<item/>`; `nil` when `element` is something else or its address cannot be read.
  package init?(_ element: Element) {
    guard element.is("item", Namespace.roster),
      let jid = element.address("jid").jid
    else { return nil }
    self.jid = jid.bare
    name = element["name"].flatMap { $0.isEmpty ? nil : $0.beginning(bytes: Self.textBytes) }
    subscription = element["subscription"] ?? "none"
    isPending = element["ask"] == "subscribe"
    groups = element.all("group", Namespace.roster).prefix(Self.groupLimit).map {
      $0.text.beginning(bytes: Self.textBytes)
    }
  }

  /// The longest name and the longest name of a group that are kept, in bytes, and the most groups.
  /// A roster of hundreds of contacts is in memory and on the disk.
  private static let (textBytes, groupLimit) = (1024, 64)

  /// Indicates whether the entry was removed (§2.1.2.5).
  package var isRemoved: Bool { subscription == "remove" }
}

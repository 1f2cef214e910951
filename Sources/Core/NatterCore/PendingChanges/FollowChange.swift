import XMPP

/// A pending request to follow or to leave a source of the discover page.
package struct FollowChange: PendingChange {
  /// The kinds of sources; the database has the raw values.
  package enum Source: String, Hashable, Sendable, Codable { case feed, calendar, rooms }

  package static let kind = PendingChangeKind.follow

  package let source: Source
  package let service: JID
  /// The empty string if the service itself is the source.
  package let node: String
  /// `false` requests to unfollow the source.
  package let follows: Bool

  package init(_ source: Source, _ service: JID, _ node: String = "", follows: Bool) {
    (self.source, self.service, self.node, self.follows) = (source, service, node, follows)
  }

  package var subject: [String] { [source.rawValue, service.description, node] }
}

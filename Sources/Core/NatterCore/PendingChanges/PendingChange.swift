/// A change that the user made and that the server has not accepted yet.
///
/// It is stored with its kind, its subject and itself, and sent by a `PendingChangeSender`.
package protocol PendingChange: Codable, Hashable, Sendable {
  static var kind: PendingChangeKind { get }
  /// The parts of the name of what it changes, unique within the kind: of two changes of one
  /// subject, the later applies.
  var subject: [String] { get }
}

/// The kinds of changes; the database has the raw values.
package enum PendingChangeKind: String, Hashable, Sendable, CaseIterable {
  /// Of a contact, or of the block list.
  case contact
  /// Of a field of the own card.
  case card
  /// Of the audience of the own card.
  case visibility
  /// Of the own avatar.
  case picture
  /// Of the own presence, which the server forgets with each session.
  case presence
  /// Following or leaving a feed, a calendar or a directory of rooms.
  case follow
  /// A post or a comment.
  case post
  /// Of an event of the user's own.
  case event
  /// The answer to an event.
  case answer
  /// Of the bookmark of a room.
  case bookmark
  /// Of the notifications of a room.
  case notifications
}

/// A pending change, as it is stored.
package struct StoredChange<Change: PendingChange>: Hashable, Sendable {
  package let change: Change
  /// Why the server refused it; `nil` if it waits for a connection.
  package let refusal: StatusNotice?

  package init(_ change: Change, refusal: StatusNotice? = nil) {
    self.change = change
    self.refusal = refusal
  }
}

/// A stored change that this version cannot read, such as one of a later version.
package struct UnreadableChange: Hashable, Sendable, CustomStringConvertible {
  package let kind: PendingChangeKind
  /// The parts of the name of what it changes.
  package let subject: [String]

  package init(_ kind: PendingChangeKind, of subject: [String]) {
    (self.kind, self.subject) = (kind, subject)
  }

  /// The change for the log.
  package var description: String { ([kind.rawValue] + subject).joined(separator: " ") }
}

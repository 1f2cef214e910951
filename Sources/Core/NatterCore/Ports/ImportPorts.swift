import FoundationEssentials
import XMPP

/// A message of another program's history, as it is stored.
package struct HistoryEntry: Hashable, Sendable {
  /// How exactly the other program stored times.
  package enum Precision: Hashable, Sendable { case microsecond, second, minute }

  /// The message. In a room its sender is the occupant; the bare room if the occupant is unknown,
  /// and the account if only that is known to be the sender.
  package var message: IncomingMessage
  package var kind: Conversation.ConversationKind
  package var precision: Precision
  /// The state of an outgoing message; ignored for incoming ones.
  package var delivery = Delivery.sent
  /// The text that a correction gave the message (XEP-0308), if the history has both texts in one
  /// entry; `nil`: it was not corrected.
  package var correctedText: String?
  /// The reactions to the message (XEP-0444), if the history has them with it.
  package var reactions: [Message.Reaction] = []

  package init(
    _ message: IncomingMessage, kind: Conversation.ConversationKind, precision: Precision
  ) {
    self.message = message
    self.kind = kind
    self.precision = precision
  }
}

/// The number of entries that were stored or passed over.
package struct ImportTally: Hashable, Sendable {
  /// New rows, corrections included.
  package var added = 0
  /// Entries that were stored already.
  package var known = 0
  /// The conversations of the new rows, bare.
  package var conversations: Set<JID> = []

  package init(added: Int = 0, known: Int = 0, conversations: Set<JID> = []) {
    self.added = added
    self.known = known
    self.conversations = conversations
  }

  package static func += (left: inout ImportTally, right: ImportTally) {
    left.added += right.added
    left.known += right.known
    left.conversations.formUnion(right.conversations)
  }
}

/// An import that was made.
package struct ImportBatch: Hashable, Sendable, Identifiable {
  /// The number for `natter import --undo`; never used again.
  package let id: Int64
  /// The name of the history's format.
  package let format: String
  package let path: String
  package let at: Date
  /// The messages that it added.
  package let rows: Int

  package init(id: Int64, format: String, path: String, at: Date, rows: Int) {
    self.id = id
    self.format = format
    self.path = path
    self.at = at
    self.rows = rows
  }
}

/// Stores histories of other programs. Nothing of them is unread, announced or answered, and what
/// is known of the server's archive stays as it is.
///
/// An entry is stored already if a message of its conversation has the same archive id; or the same
/// id of its sender, and that sender; or the same direction and text in the same second or minute.
package protocol ImportStoring: Sendable {
  /// Begins an import.
  /// - Throws: `StorageError`, as all functions here do.
  func beginImport(format: String, path: String, at date: Date) async throws -> ImportBatch.ID
  /// Stores the new ones of `entries`, all in one transaction. Conversations that it creates are
  /// hidden as long as they have no message after `shownSince`.
  func add(_ entries: [HistoryEntry], to batch: ImportBatch.ID, shownSince: Date) async throws
    -> ImportTally
  /// Ends an import; forgets it if it added nothing.
  func endImport(_ batch: ImportBatch.ID) async throws
  /// Counts what `add` would do, and stores nothing. Entries that are equal to each other are
  /// counted as new.
  func preview(_ entries: [HistoryEntry]) async throws -> ImportTally
  /// Returns the imports, the newest first.
  func imports() async throws -> [ImportBatch]
  /// Removes the messages that an import added, except those that the server's archive has brought
  /// since, and the conversations that it created and that are empty now.
  /// - Returns: the number of removed messages; `nil` if there is no such import.
  func undoImport(_ batch: ImportBatch.ID) async throws -> Int?
}

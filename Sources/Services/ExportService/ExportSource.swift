import FoundationEssentials
import NatterCore
import XMPP

/// A conversation of an export.
package struct ExportedConversation: Hashable, Sendable {
  package let jid: JID
  /// `Conversation.outputKind`.
  package let kind: String
  /// The name that is shown with it; untrusted.
  package let name: String

  package init(jid: JID, kind: String, name: String) {
    self.jid = jid
    self.kind = kind
    self.name = name
  }
}

/// A message of an export, or the absence of some.
package enum ExportItem: Sendable {
  /// A message with its whole text.
  /// - Parameter first: the text before the corrections; `nil`: there was none.
  case message(Message, first: String?)
  /// Messages between two times may be missing.
  case gap(HistoryHole)
}

/// The time that an export covers.
package struct ExportPeriod: Hashable, Sendable {
  /// The first moment; `nil`: since the beginning.
  package let start: Date?
  /// The moment after the last; `nil`: until now.
  package let end: Date?

  package init(start: Date? = nil, end: Date? = nil) {
    self.start = start
    self.end = end
  }
}

/// Reads the messages of an account for an export.
package protocol ExportSource: Sendable {
  /// The bare address of the account.
  var account: JID { get }
  /// The conversations to export, in the order of the output.
  var conversations: [ExportedConversation] { get }
  /// Calls `take` with the messages of a period, oldest first, and with the gaps between them: with
  /// a limited number at once, each read in a transaction of its own.
  func read(
    _ conversation: JID, in period: ExportPeriod, _ take: ([ExportItem]) throws -> Void
  ) async throws
}

/// The database behind an export, for an archive.
package protocol ExportStoring: Sendable {
  /// The number of the database's schema.
  var schema: Int { get }
  /// Writes a copy of the database without secrets to `path`.
  /// - Returns: the messages of the copy, all of them.
  /// - Throws: `ExportFailure` if the copy cannot be written.
  func writeCopy(to path: String) async throws -> any ExportSource
  /// Returns the paths of the files that were downloaded; some may have disappeared since.
  func downloadedPaths() async throws -> [String]
}

/// How far an export is.
package struct ExportProgress: Hashable, Sendable {
  /// The conversation that is being written; `nil`: a part that belongs to none.
  package var conversation: ExportedConversation?
  /// The number of messages that were written.
  package var messages = 0
}

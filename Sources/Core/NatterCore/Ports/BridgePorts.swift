import FoundationEssentials
import JSONLines
import XMPP

/// A client's connection to the bridge, in lines of JSON: the socket of an account, or the standard
/// streams of `natter serve`.
package protocol BridgeConnection: Sendable {
  /// The lines of the client, in order; ends when the client sends no more, or the connection is
  /// closed.
  var lines: AsyncStream<LineSplitter.Line> { get }
  /// Indicates whether lines can be sent. A client that sends no more may still read.
  var isOpen: Bool { get }
  /// Queues a line for the client, which must have no line feed; never waits.
  /// - Returns: `false` if it was dropped: more than 1,000 lines or 1 MiB wait, or the connection
  ///   is closed.
  func send(_ line: String) -> Bool
  /// Waits until `send` may take a line, the connection is closed, or the task is cancelled.
  func waitForRoom(for line: String) async
  /// Closes the connection once everything queued was written.
  func close()
}

/// Answers the clients of the bridge.
package protocol BridgeServing: Sendable {
  /// Answers a client, and returns when its connection has ended.
  /// - Parameter client: who it is; `nil`: its `hello` says so.
  func serve(_ connection: any BridgeConnection, for client: BridgeClient?) async
}

extension BridgeServing {
  /// Answers a client whose `hello` says who it is, and returns when its connection has ended.
  package func serve(_ connection: any BridgeConnection) async {
    await serve(connection, for: nil)
  }
}

/// A stored message, as clients of the bridge receive it.
package struct LoggedMessage: Hashable, Sendable {
  package let message: Message
  /// The kind of its conversation.
  package let kind: Conversation.ConversationKind

  package init(_ message: Message, in kind: Conversation.ConversationKind) {
    (self.message, self.kind) = (message, kind)
  }
}

/// Reads the messages of an account in the order in which they were stored. Ids increase in that
/// order, and a message becomes visible only after all messages with lower ids.
package protocol MessageLogReading: Sendable {
  /// Returns the id of the row that was stored last; 0 if there is none.
  func newestMessage() async throws -> Message.ID
  /// Returns the first `limit` messages with ids above `cursor`, by id. Rows that only change
  /// another message are left out.
  func messages(storedAfter cursor: Message.ID, limit: Int) async throws -> [LoggedMessage]
  /// Returns when the newest row up to `cursor` was sent; `nil` if there is none.
  func timeOfMessage(upTo cursor: Message.ID) async throws -> Date?
  /// Returns the text that a message had before it was corrected; `nil` if there is none.
  func firstText(of id: Message.ID) async throws -> String?
}

/// Sends messages under ids that the caller chooses.
package protocol IdentifiedMessageSending: Sendable {
  /// Queues `body`, as `MessageSending` does. A second call with the same id stores nothing.
  /// - Parameters:
  ///   - originID: unique; it becomes the stanza's id.
  ///   - original: the message that it replies to, of the same conversation; `nil`: none.
  ///   - thread: the thread that it belongs to; `nil`: that of `original`, or of the conversation.
  ///   - program: the name of the program that sends it for the user; `nil`: one of their own.
  /// - Returns: the stored message of that id.
  /// - Throws: `NatterError` if it could not be stored.
  func send(
    _ body: String, originID: String, replyingTo original: Message?, in thread: Message.Thread?,
    to conversation: JID, by program: String?
  ) async throws -> Message
}

extension IdentifiedMessageSending {
  /// Queues a message of the user.
  package func send(
    _ body: String, originID: String, replyingTo original: Message?, in thread: Message.Thread?,
    to conversation: JID
  ) async throws -> Message {
    try await send(
      body, originID: originID, replyingTo: original, in: thread, to: conversation, by: nil)
  }
}

/// Judges messages that were sent, or failed.
package protocol DeliveryJudging: Sendable {
  /// Waits until everything was read that the server sent since it acknowledged a message.
  /// - Returns: why the message was refused all the same; `nil`: it was not, as far as is known.
  func refusal(of message: Message.ID) async -> String?
  /// Returns whether a message failed because it has more bytes than the server takes.
  func isOversized(_ message: Message) async -> Bool
}

/// Ends what clients of the bridge can end.
package protocol BridgeControlling: Sendable {
  /// Gives the account to another instance. Returns when its connection and its database are closed
  /// and its lock is released; the connections of its clients end with the answer.
  func release(_ account: JID) async
  /// Begins to end the program.
  func shutDown() async
}

/// A notification that a client of the bridge has shown. All texts are untrusted.
package struct BridgeNotification: Hashable, Sendable {
  /// The most bytes of a title, and of a text.
  package static let (titleLimit, textLimit) = (200, 1024)

  package let title: String
  package let text: String
  /// The conversation that it is about, which may be muted; `nil`: none.
  package let conversation: JID?

  package init(title: String, text: String, conversation: JID?) {
    (self.title, self.text, self.conversation) = (title, text, conversation)
  }
}

/// A setting of the user.
package struct BridgeSetting: Hashable, Sendable {
  package let section: String
  package let key: String
  /// `nil`: it is not set, and has no default.
  package let value: JSONValue?
  /// Indicates whether the value is withheld, because it may have a secret.
  package let isHidden: Bool

  package init(section: String, key: String, value: JSONValue?, isHidden: Bool = false) {
    (self.section, self.key, self.isHidden) = (section, key, isHidden)
    self.value = isHidden ? nil : value
  }
}

/// The program around the accounts of a bridge: its list of conversations, its notifications and
/// its settings.
package protocol BridgeHosting: Sendable {
  /// Pins a conversation to the top of the list, or removes its pin.
  /// - Returns: `false` if the list does not have the conversation.
  func setPinned(_ isPinned: Bool, _ conversation: JID, of account: JID) async throws -> Bool
  /// Shows a notification, as the user's settings say.
  /// - Returns: whether anything was shown.
  func notify(_ notification: BridgeNotification, of account: JID) async -> Bool
  /// Returns all settings, in the order of the file.
  func settings() async -> [BridgeSetting]
}

/// A history of another program that a client of the bridge has imported.
package struct BridgeImport: Sendable {
  /// The absolute path of a file or folder.
  package let path: String
  /// The name of the format; `nil`: the content decides.
  package var format: String?
  /// The account that the history belongs to; `nil`: the one that it is imported into.
  package var owner: JID?
  /// The user's nicks, in histories that have only names.
  package var names: [String] = []
  /// The zone of local times, a name or an offset; `nil`: that of the process.
  package var zone: String?
  /// Earlier messages are left out.
  package var since: Date?
  /// All other conversations are left out.
  package var only: JID?
  /// Indicates that nothing is stored, only counted.
  package var isTrial = false
  /// The account's password, for a history that is encrypted with it.
  package var password: String?

  package init(path: String) { self.path = path }
}

/// Imports histories into an account for clients of the bridge.
package protocol HistoryTransferring: Sendable {
  /// Imports a history. What was stored before it is cancelled stays, and can be undone.
  /// - Returns: the object of the import (interface.md, "Output for programs").
  /// - Throws: `NatterError`; `StorageError`.
  func runImport(_ request: BridgeImport) async throws -> JSONLine
  /// Removes what an import added, except what the server's archive has brought since.
  /// - Returns: the number of removed messages; `nil`: there is no such import.
  /// - Throws: `StorageError`.
  func undoImport(_ batch: Int) async throws -> Int?
}

/// An export of stored messages that a client of the bridge has written.
package struct BridgeExport: Sendable {
  /// The absolute path of the new file.
  package let path: String
  /// The name of the format; `nil`: that of the path's ending, or JSON Lines.
  package var format: String?
  /// The conversations, in the order of the output; empty: all.
  package var conversations: [JID] = []
  /// Earlier messages are left out.
  package var since: Date?
  /// Messages from this moment on are left out.
  package var until: Date?
  /// Indicates whether an archive contains the downloaded files.
  package var includesFiles = false
  /// Indicates whether an existing file is replaced.
  package var mayReplace = false

  package init(path: String) { self.path = path }
}

/// Exports the stored messages of an account for clients of the bridge.
package protocol HistoryExporting: Sendable {
  /// Writes an export into a new file, which has its name only when it is whole. A task that is
  /// cancelled leaves no file.
  /// - Returns: the object of the export (interface.md, "Output for programs").
  /// - Throws: `NatterError`; `StorageError`; `CancellationError`.
  func runExport(_ request: BridgeExport) async throws -> JSONLine
}

import FoundationEssentials
import XMPP

/// Keeps transfers over restarts.
package protocol TransferStoring: Sendable {
  /// Stores a new one; it gets its number there.
  /// - Throws: `StorageError`.
  func add(_ transfer: FileTransfer) async throws -> FileTransfer
  /// Stores what changed of it.
  func save(_ transfer: FileTransfer) async throws
  func remove(_ id: FileTransfer.ID) async throws
  /// All of them, the oldest first.
  func transfers() async throws -> [FileTransfer]
  /// Where the same content was put earlier at the same service; the newest.
  func upload(sha256: String, byteCount: Int, service: JID) async throws -> FileTransfer?
  /// The upload that ends, or ended, with the message of that origin-id.
  func upload(originID: String) async throws -> FileTransfer?
  /// What came of downloading what `message` offers; the newest that is done.
  func download(of message: Message.ID) async throws -> FileTransfer?
  /// The small picture that came with a message.
  func thumbnail(of message: Message.ID) async throws -> [UInt8]?
  /// Notes how large the file of a message is, where its sender did not tell.
  /// - Returns: the message, where that is news.
  func found(_ byteCount: Int, of message: Message.ID) async throws -> Message?
  /// The messages of a conversation that offer a file, the newest first.
  func fileMessages(in conversation: JID, limit: Int) async throws -> [Message]
}

/// Finds what was sent and received in the database.
package protocol FileHistoryStoring: Sendable {
  /// The messages that offer a file which passes `filter`, from `place` on, the newest first.
  /// - Throws: `StorageError`.
  func messages(offering filter: FileFilter, at place: FilePlace, limit: Int) async throws
    -> [Message]
  func totals(of filter: FileFilter) async throws -> FileTotals
  /// The conversations in which files were offered, the one with the newest first.
  func conversationsWithFiles() async throws -> [JID]
  /// Where the files of `messages` were put, or were sent from.
  func paths(of messages: [Message]) async throws -> [Message.ID: String]
}

/// Reads what files were sent and received. The way for view models; it needs no connection.
package protocol FileHistoryReading: Sendable {
  /// The files that pass `filter`, from `place` on, the newest first.
  /// - Throws: `StorageError`.
  func files(_ filter: FileFilter, at place: FilePlace, limit: Int) async throws -> [OfferedFile]
  func totals(of filter: FileFilter) async throws -> FileTotals
  /// The conversations in which files were offered, the one with the newest first.
  func conversations() async throws -> [JID]
}

/// A hand on bytes that are on their way.
package protocol TransferHolding: AnyObject, Sendable {
  /// Stops the bytes and keeps the connection, for as long as the server bears it.
  func pause()
  func resume()
}

/// Brings files to the web and back.
///
/// What is thrown knows how to tell itself (`NatterErrorConvertible`); its `retry` is `.automatic` where another attempt may
/// well succeed: the connection broke, or stood still.
package protocol FileTransporting: Sendable {
  /// Puts the first `byteCount` bytes of an open file where `slot` says.
  /// - Parameters:
  ///   - descriptor: stays the caller's.
  ///   - onBegin: called once, with a hand on it.
  ///   - onProgress: bytes so far; called from anywhere, some ten times a second.
  func put(
    _ descriptor: CInt, byteCount: Int, mediaType: String?, to slot: XEP0363Slot,
    onBegin: @Sendable (any TransferHolding) -> Void,
    onProgress: @escaping @Sendable (Int) -> Void
  ) async throws
  /// Gets a file, or the rest of it, into an open one.
  /// - Parameters:
  ///   - held: how many of its first bytes are there already.
  ///   - validator: which version they are of, where the server tells; another one is fetched from the beginning.
  ///   - sizeLimit: bytes that it may have.
  ///   - onProgress: bytes that are there, and how many there will be.
  /// - Returns: how many bytes are there now.
  func get(
    _ address: String, into descriptor: CInt, held: Int, validator: String?, sizeLimit: Int,
    onBegin: @Sendable (any TransferHolding) -> Void,
    onProgress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws -> Int
  /// What the server tells of the file at `address`, without sending it.
  func describe(_ address: String) async throws -> RemoteFile
  /// Whether the file at `address` is on this very machine or on a private network, in whatever form the address is written.
  func leadsToThisMachine(_ address: String) -> Bool
  /// Lets files be on `host`, though that is on this machine or on a private network: the user wants it.
  func agree(to host: String)
}

extension FileTransporting {
  /// Lets a file be where it could not be asked for, as far as only the user could allow that: the failure was the question, and
  /// that they try again is the answer.
  package func agree(after error: NatterError) {
    if error.key == NatterError.privateNetwork, let host = error.arguments["host"] {
      agree(to: host)
    }
  }
}

/// A file on the web, as its server tells of it.
package struct RemoteFile: Hashable, Sendable {
  package let byteCount: Int?
  package let mediaType: String?
  /// Which version it is, in a form that `If-Range` takes: a strong entity tag, else the date of the last change (RFC 9110
  /// §8.8, §13.1.5); `nil`: the server does not tell versions apart.
  package let validator: String?

  package init(byteCount: Int?, mediaType: String? = nil, validator: String? = nil) {
    self.byteCount = byteCount
    self.mediaType = mediaType
    self.validator = validator
  }
}

/// Sends the message that offers a file.
package protocol FileMessageSending: Sendable {
  /// Queues it; a second call with the same `originID` stores nothing.
  /// - Throws: `NatterError` when it could not be stored.
  @discardableResult func send(
    _ file: SharedFile, originID: String, to conversation: JID
  ) async throws -> Message
  /// The same for words that go with a file, in a message of their own.
  @discardableResult func send(
    _ words: String, originID: String, to conversation: JID
  ) async throws -> Message
}

/// Sending files to conversations, and keeping those that others sent. The way for view models and commands.
package protocol FileSharing: Sendable {
  /// Begins to send a file; the message follows when it is on the web.
  /// - Parameter path: absolute.
  /// - Throws: `NatterError` when it is no file that can be sent, or larger than the server takes.
  @discardableResult func share(_ path: String, with conversation: JID) async throws
    -> FileTransfer
  /// Begins to send several files; they are offered in this order.
  /// - Returns: for each of `paths` its transfer, or why it cannot be sent.
  func share(_ paths: [String], with conversation: JID) async
    -> [Result<FileTransfer, NatterError>]
  /// Begins to fetch what `message` offers.
  /// - Parameter path: an absolute path for it, of a folder or a file; `nil`: the folder for downloads. What is there is never
  ///   overwritten: it gets a number.
  /// - Returns: the transfer, or an earlier one whose file is still there.
  @discardableResult func fetch(_ message: Message, to path: String?) async throws
    -> FileTransfer
  /// Offers the file of `message` to another conversation: by the same address as long as it is there, else by sending
  /// the copy on this disk.
  ///
  /// Only where the file was sent or fetched from here is its server asked whether it still has it.
  /// - Throws: `NatterError` when there is neither, or nothing could be stored.
  func forward(_ message: Message, to conversation: JID) async throws
  /// Where the file of `message` is on this disk; `nil` when it is not.
  func localPath(of message: Message) async -> String?
  /// The small picture that came with `message` itself, as a file's bytes; `nil`: none did.
  func thumbnail(of message: Message) async -> [UInt8]?
  /// Those of a conversation that are not over or have failed, the oldest first; of all for `nil`.
  func transfers(in conversation: JID?) async -> [FileTransfer]
  func pause(_ id: FileTransfer.ID) async
  func resume(_ id: FileTransfer.ID) async
  /// Tries a failed one again.
  func retry(_ id: FileTransfer.ID) async
  /// Ends it and forgets it; what has come of a download is removed.
  /// - Throws: `NatterError` when it is too late: the message that offers the file is on its way.
  func cancel(_ id: FileTransfer.ID) async throws
  /// The messages of a conversation that offer a file, the newest first.
  func files(in conversation: JID, limit: Int) async throws -> [Message]
}

/// Looks at folders and into files of this disk.
package protocol FileLooking: Sendable {
  /// What is in a folder: the folders first, each sort by name.
  /// - Throws: `NatterError` when it cannot be read.
  func files(in folder: String) async throws -> [FolderFile]
  /// What can be shown of the file at an absolute path.
  func preview(of path: String) async -> FilePreview
  /// Has the bytes of a small picture as a file; `nil` when they are none that can be shown.
  func picture(_ bytes: [UInt8]) async -> PictureFile?
}

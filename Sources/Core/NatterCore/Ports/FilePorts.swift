import FoundationEssentials
import XMPP

/// Stores transfers across restarts.
package protocol TransferStoring: Sendable {
  /// Stores a new transfer and assigns its id.
  /// - Throws: `StorageError`.
  func add(_ transfer: FileTransfer) async throws -> FileTransfer
  /// Stores the changed state of a transfer.
  func save(_ transfer: FileTransfer) async throws
  func remove(_ id: FileTransfer.ID) async throws
  /// Returns all transfers, oldest first.
  func transfers() async throws -> [FileTransfer]
  /// Returns the newest upload of the same content to the same service.
  func upload(sha256: String, byteCount: Int, service: JID) async throws -> FileTransfer?
  /// Returns the upload whose message has this origin-id.
  func upload(originID: String) async throws -> FileTransfer?
  /// Returns the newest completed download of the file of `message`.
  func download(of message: Message.ID) async throws -> FileTransfer?
  /// Returns the thumbnail in a message.
  func thumbnail(of message: Message.ID) async throws -> [UInt8]?
  /// Stores the size of a message's file, if its sender specified none.
  /// - Returns: the message, if the size is new.
  func found(_ byteCount: Int, of message: Message.ID) async throws -> Message?
  /// Returns the messages of a conversation that offer a file, newest first.
  func fileMessages(in conversation: JID, limit: Int) async throws -> [Message]
}

/// Finds sent and received files in the database.
package protocol FileHistoryStoring: Sendable {
  /// Returns the messages that offer a file which passes `filter`, starting at `position`, newest
  /// first.
  /// - Throws: `StorageError`.
  func messages(offering filter: FileFilter, at position: FilePosition, limit: Int) async throws
    -> [Message]
  /// Returns the number and the size of the files that pass `filter`.
  func totals(of filter: FileFilter) async throws -> FileTotals
  /// Returns the conversations with files, the one with the newest file first.
  func conversationsWithFiles() async throws -> [JID]
  /// Returns the local paths of the files of `messages`: downloaded, or sent from there.
  func paths(of messages: [Message]) async throws -> [Message.ID: String]
}

/// Reads the history of files for view models, without a connection.
package protocol FileHistoryReading: Sendable {
  /// Returns the files that pass `filter`, starting at `position`, newest first.
  /// - Throws: `StorageError`.
  func files(_ filter: FileFilter, at position: FilePosition, limit: Int) async throws
    -> [OfferedFile]
  /// Returns the number and the size of the files that pass `filter`.
  func totals(of filter: FileFilter) async throws -> FileTotals
  /// Returns the conversations with files, the one with the newest file first.
  func conversations() async throws -> [JID]
}

/// Pauses and resumes a running transfer.
package protocol TransferHolding: AnyObject, Sendable {
  /// Stops the bytes and keeps the connection open, for as long as the server permits.
  func pause()
  func resume()
}

/// Uploads and downloads files.
///
/// The errors provide their own text (`NatterErrorConvertible`); their `retry` is `.automatic` if
/// another attempt may succeed: the connection broke, or stalled.
package protocol FileTransporting: Sendable {
  /// Uploads the first `byteCount` bytes of an open file to `slot`.
  /// - Parameters:
  ///   - descriptor: remains owned by the caller.
  ///   - onBegin: called once, with the control of the transfer.
  ///   - onProgress: bytes so far; called on any thread, about ten times a second.
  func put(
    _ descriptor: CInt, byteCount: Int, mediaType: String?, to slot: XEP0363Slot,
    onBegin: @Sendable (any TransferHolding) -> Void,
    onProgress: @escaping @Sendable (Int) -> Void
  ) async throws
  /// Downloads a file, or the rest of it, into an open file.
  /// - Parameters:
  ///   - held: the number of bytes that are present already.
  ///   - validator: their version, if the server reports one; another version is fetched from the
  ///     beginning.
  ///   - sizeLimit: the maximum size in bytes.
  ///   - onProgress: the bytes that are present, and the expected total.
  /// - Returns: the number of bytes that are present now.
  func get(
    _ address: String, into descriptor: CInt, held: Int, validator: String?, sizeLimit: Int,
    onBegin: @Sendable (any TransferHolding) -> Void,
    onProgress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws -> Int
  /// Queries the metadata of the file at `address`, without its content.
  func describe(_ address: String) async throws -> RemoteFile
  /// Returns whether `address` leads to this machine or a private network, in whatever notation it
  /// is written.
  func leadsToThisMachine(_ address: String) -> Bool
  /// Permits files on `host`, although it is this machine or on a private network: the user
  /// requested it.
  func agree(to host: String)
}

extension FileTransporting {
  /// Permits the host of a failed transfer, if only the user could permit it: the failure is the
  /// question, and the user's retry is the consent.
  package func agree(after error: NatterError) {
    if error.key == NatterError.privateNetwork, let host = error.arguments["host"] {
      agree(to: host)
    }
  }
}

/// The metadata of a file on a web server.
package struct RemoteFile: Hashable, Sendable {
  package let byteCount: Int?
  package let mediaType: String?
  /// The version, in a form that `If-Range` accepts: a strong entity tag, else the date of the last
  /// change (RFC 9110 §8.8, §13.1.5); `nil` if the server does not distinguish versions.
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
  /// - Throws: `NatterError` if it could not be stored.
  @discardableResult func send(
    _ file: SharedFile, originID: String, to conversation: JID
  ) async throws -> Message
  /// Queues the text that accompanies a file, in a message of its own.
  @discardableResult func send(
    _ text: String, originID: String, to conversation: JID
  ) async throws -> Message
}

/// Sends files to conversations, and saves received ones, for view models and commands.
package protocol FileSharing: Sendable {
  /// Begins to upload a file; the message follows when the upload is complete.
  /// - Parameter path: absolute.
  /// - Throws: `NatterError` if it is no file that can be sent, or exceeds the server's limit.
  @discardableResult func share(_ path: String, with conversation: JID) async throws
    -> FileTransfer
  /// Begins to upload several files; they are offered in this order.
  /// - Returns: for each of `paths` its transfer, or the reason why it cannot be sent.
  func share(_ paths: [String], with conversation: JID) async
    -> [Result<FileTransfer, NatterError>]
  /// Begins to download the file of `message`.
  /// - Parameter path: an absolute path of a folder or a file; `nil`: the download folder. An
  ///   existing file is never overwritten: the new name gets a number.
  /// - Returns: the transfer, or an earlier one whose file still exists.
  @discardableResult func fetch(_ message: Message, to path: String?) async throws
    -> FileTransfer
  /// Offers the file of `message` to another conversation: with the same URL as long as the file is
  /// there, else by uploading the local copy.
  ///
  /// Its server is queried for the file only if the file was sent or fetched from here.
  /// - Throws: `NatterError` if neither is available, or nothing could be stored.
  func forward(_ message: Message, to conversation: JID) async throws
  /// Returns the local path of the file of `message`; `nil` if there is none.
  func localPath(of message: Message) async -> String?
  /// Returns the thumbnail in `message` itself, as the bytes of a file; `nil` if there is none.
  func thumbnail(of message: Message) async -> [UInt8]?
  /// Returns the unfinished or failed transfers of a conversation, oldest first; for `nil` those of
  /// all.
  func transfers(in conversation: JID?) async -> [FileTransfer]
  func pause(_ id: FileTransfer.ID) async
  func resume(_ id: FileTransfer.ID) async
  /// Retries a failed transfer.
  /// - Returns: whether it is to be tried; `false` if that could not be stored, which is reported.
  @discardableResult func retry(_ id: FileTransfer.ID) async -> Bool
  /// Cancels and removes a transfer, with the partial file of a download.
  /// - Throws: `NatterError` if it is too late: the message that offers the file is being sent.
  func cancel(_ id: FileTransfer.ID) async throws
  /// Returns the messages of a conversation that offer a file, newest first.
  func files(in conversation: JID, limit: Int) async throws -> [Message]
}

/// Reads folders and previews of files on the local disk.
package protocol FileLooking: Sendable {
  /// Returns the content of a folder: folders first, then files, each sorted by name.
  /// - Throws: `NatterError` if it cannot be read.
  func files(in folder: String) async throws -> [FolderFile]
  /// Returns the preview of the file at an absolute path.
  func preview(of path: String) async -> FilePreview
  /// Stores the bytes of a thumbnail as a file; returns `nil` if they cannot be displayed.
  func picture(_ bytes: [UInt8]) async -> PictureFile?
}

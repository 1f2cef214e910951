import FoundationEssentials
import NatterCore

extension FileTransfer {
  /// Creates the download of a file that a message offers.
  /// - Parameters:
  ///   - path: the path that the file gets.
  ///   - part: the name of its partial file.
  init(fetching file: SharedFile, of message: Message, to path: String, part: String, begun: Date) {
    self.init(
      id: .init(0), direction: .download, conversation: message.conversation, path: path,
      name: file.safeName, mediaType: file.mediaType, byteCount: file.byteCount,
      digests: file.digests, address: file.address, message: message.id, begun: begun, part: part,
      otherAddresses: file.otherAddresses)
  }

  /// Returns whether the message of `other` comes before this one's: files of one share begin at
  /// the same moment. Failed and paused ones are not waited for.
  func isOffered(after other: FileTransfer) -> Bool {
    other.id < id && other.direction == .upload && other.conversation == conversation
      && other.begun == begun && (other.state == .running || other.state == .waiting)
  }
}

extension TransferStoring {
  /// Returns the path of a message's file that was downloaded or sent and is still there.
  /// - Throws: `StorageError`.
  func localPath(of message: Message) async throws -> String? {
    if let earlier = try await download(of: message.id), DiskPath.isReadable(earlier.path) {
      return earlier.path
    }
    guard message.direction == .outgoing, let originID = message.originID else { return nil }
    let sent = try await upload(originID: originID)
    return sent.flatMap { DiskPath.isReadable($0.path) ? $0.path : nil }
  }
}

extension FileTransporting {
  /// Returns whether all servers have lost the file. One that cannot be asked may well have it.
  func hasLost(_ file: SharedFile) async -> Bool {
    for address in file.addresses {
      do {
        let there = try await describe(address)
        guard let count = there.byteCount, count != file.byteCount ?? count else { return false }
      } catch {
        guard (error as? any NatterErrorConvertible)?.natterError.retry == .never else {
          return false
        }
      }
    }
    return true
  }
}

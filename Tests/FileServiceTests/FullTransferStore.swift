import NatterCore
import TestSupport
import XMPP

/// Refuses to write while the disk is full.
struct FullTransferStore: TransferStoring {
  let inner: any TransferStoring
  let isFull: Observed<Bool>

  private func check() throws {
    if isFull.value { throw NatterError(.storage, "error.storage.full") }
  }

  func add(_ transfer: FileTransfer) async throws -> FileTransfer {
    try check()
    return try await inner.add(transfer)
  }
  func save(_ transfer: FileTransfer) async throws {
    try check()
    try await inner.save(transfer)
  }
  func remove(_ id: FileTransfer.ID) async throws {
    try check()
    try await inner.remove(id)
  }
  func transfers() async throws -> [FileTransfer] { try await inner.transfers() }
  func upload(sha256: String, byteCount: Int, service: JID) async throws -> FileTransfer? {
    try await inner.upload(sha256: sha256, byteCount: byteCount, service: service)
  }
  func upload(originID: String) async throws -> FileTransfer? {
    try await inner.upload(originID: originID)
  }
  func download(of message: Message.ID) async throws -> FileTransfer? {
    try await inner.download(of: message)
  }
  func thumbnail(of message: Message.ID) async throws -> [UInt8]? {
    try await inner.thumbnail(of: message)
  }
  func found(_ byteCount: Int, of message: Message.ID) async throws -> Message? {
    try check()
    return try await inner.found(byteCount, of: message)
  }
  func fileMessages(in conversation: JID, limit: Int) async throws -> [Message] {
    try await inner.fileMessages(in: conversation, limit: limit)
  }
}

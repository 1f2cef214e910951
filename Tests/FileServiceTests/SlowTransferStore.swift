import NatterCore
import TestSupport
import Testing
import XMPP

/// Delays the storing of transfers in one state until the test lets it go on, or what follows it.
struct SlowTransferStore: TransferStoring {
  let inner: any TransferStoring
  let delayed: FileTransfer.TransferStatus
  let isStoring: Observed<Bool>
  let mayGo: Observed<Bool>
  /// Indicates whether it is stored before the delay.
  var storesFirst = false

  func add(_ transfer: FileTransfer) async throws -> FileTransfer {
    try await inner.add(transfer)
  }
  func save(_ transfer: FileTransfer) async throws {
    if storesFirst { try await inner.save(transfer) }
    if transfer.state == delayed {
      isStoring.update { $0 = true }
      // Also when it is cancelled meanwhile.
      #expect(await Task { await mayGo.waits(upTo: .seconds(60)) { $0 } }.value)
    }
    if !storesFirst { try await inner.save(transfer) }
  }
  func remove(_ id: FileTransfer.ID) async throws { try await inner.remove(id) }
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
    try await inner.found(byteCount, of: message)
  }
  func fileMessages(in conversation: JID, limit: Int) async throws -> [Message] {
    try await inner.fileMessages(in: conversation, limit: limit)
  }
}

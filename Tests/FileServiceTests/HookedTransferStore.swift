import NatterCore
import TestSupport
import Testing
import XMPP

/// Forwards to another store, with what a test does before a write and after a save.
struct HookedTransferStore: TransferStoring {
  let inner: any TransferStoring
  /// Called before each write, with the transfer if one is saved; the write fails when it throws.
  var before: @Sendable (FileTransfer?) async throws -> Void = { _ in }
  /// Called once a transfer is saved, before `save` returns.
  var after: @Sendable (FileTransfer) async -> Void = { _ in }

  func add(_ transfer: FileTransfer) async throws -> FileTransfer {
    try await before(nil)
    return try await inner.add(transfer)
  }
  func save(_ transfer: FileTransfer) async throws {
    try await before(transfer)
    try await inner.save(transfer)
    await after(transfer)
  }
  func remove(_ id: FileTransfer.ID) async throws {
    try await before(nil)
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
    try await before(nil)
    return try await inner.found(byteCount, of: message)
  }
  func fileMessages(in conversation: JID, limit: Int) async throws -> [Message] {
    try await inner.fileMessages(in: conversation, limit: limit)
  }
}

extension HookedTransferStore {
  /// Returns a store that refuses to write while the disk is full.
  static func full(_ inner: any TransferStoring, while isFull: Observed<Bool>) -> Self {
    Self(
      inner: inner,
      before: { _ in
        if isFull.value { throw NatterError(.storage, "error.storage.full") }
      })
  }

  /// Returns a store that delays the storing of transfers in one state until the test lets it go
  /// on.
  /// - Parameter storesFirst: whether a transfer is stored before the delay.
  static func slow(
    _ inner: any TransferStoring, delayed: FileTransfer.TransferStatus,
    isStoring: Observed<Bool>, mayGo: Observed<Bool>, storesFirst: Bool = false
  ) -> Self {
    let delay: @Sendable (FileTransfer?) async -> Void = { transfer in
      guard transfer?.state == delayed else { return }
      isStoring.update { $0 = true }
      // Also when it is cancelled meanwhile.
      #expect(await Task { await mayGo.waits(upTo: .seconds(60)) { $0 } }.value)
    }
    return storesFirst ? Self(inner: inner, after: delay) : Self(inner: inner, before: delay)
  }
}

import Diagnostics
import NatterCore

/// The user's control of transfers.
extension TransferQueue {
  func begin(_ transfer: FileTransfer) async throws -> FileTransfer {
    let stored = try await store.add(transfer)
    open[stored.id] = stored
    hub.publish(.transfersChanged([stored]))
    wake()
    return stored
  }

  /// Records that the user has asked for a download: its size is not limited.
  /// - Throws: `NatterError` if it cannot be stored.
  func removeSizeLimit(of id: FileTransfer.ID) async throws(NatterError) {
    guard open[id]?.sizeLimit != nil, !isSettling(id) else { return }
    try await change(id) { $0.sizeLimit = nil }
  }

  private func isSettling(_ id: FileTransfer.ID) -> Bool { running[id]?.isSettling == true }

  /// Returns the current state of a transfer if it runs, or else its stored state.
  func current(_ id: FileTransfer.ID) -> FileTransfer? {
    guard let stored = open[id] else { return nil }
    guard var moving = running[id]?.gauge.transfer else { return stored }
    moving.state = stored.state
    return moving
  }

  /// - Throws: `NatterError` if it cannot be stored: then it goes on.
  func setPaused(_ id: FileTransfer.ID) async throws(NatterError) {
    // What is offered already cannot be held any more.
    guard let transfer = open[id], !transfer.state.isOver, transfer.state != .paused,
      !offered.contains(id), !isSettling(id)
    else { return }
    let moving = running[id]?.gauge.transfer
    open[id]?.state = .paused
    running[id]?.gauge.pause()
    // Those behind it need not wait for it.
    schedule()
    wake()
    do {
      try await change(id, from: transfer) { $0.progress = moving?.progress ?? $0.progress }
    } catch {
      release(id)
      throw error
    }
  }

  /// - Throws: `NatterError` if it cannot be stored: then it stays paused.
  func setRunning(_ id: FileTransfer.ID) async throws(NatterError) {
    guard let transfer = open[id], transfer.state == .paused, !isSettling(id) else { return }
    let state = running[id] == nil ? FileTransfer.TransferStatus.waiting : .running
    try await goOn(id) { $0.state = state }
  }

  /// Queues a failed transfer again.
  /// - Throws: `NatterError` if it cannot be stored: then it stays failed.
  func restart(_ id: FileTransfer.ID) async throws(NatterError) {
    guard let transfer = open[id], case .failed(let error) = transfer.state else { return }
    uploader.transport.agree(after: error)
    unanswered.remove(id)
    try await goOn(id) {
      $0.state = .waiting
      $0.sizeLimit = nil
    }
  }

  /// Has a transfer go on once that is stored: nothing begins before.
  private func goOn(
    _ id: FileTransfer.ID, _ change: (inout FileTransfer) -> Void
  ) async throws(NatterError) {
    waits[id] = .storing
    defer {
      if waits[id] == .storing { waits[id] = nil }
      release(id)
    }
    try await self.change(id, change)
  }

  /// Lets a transfer move, unless the user has paused it.
  private func release(_ id: FileTransfer.ID) {
    if open[id]?.state == .running { running[id]?.gauge.resume() }
    schedule()
    wake()
  }

  /// Changes an open transfer for the user, stores the change and publishes it.
  /// - Parameter before: the transfer without the change, if that has begun.
  /// - Throws: `NatterError` if it cannot be stored: then it is as before.
  func change(
    _ id: FileTransfer.ID, from before: FileTransfer? = nil,
    _ change: (inout FileTransfer) -> Void
  ) async throws(NatterError) {
    guard let before = before ?? open[id], let transfer = apply(change, to: id) else { return }
    do { try await store.save(transfer) } catch {
      log.error("storing a transfer failed: \(error)")
      // Unless it was changed again meanwhile.
      if var restored = open[id], restored.state == transfer.state {
        (restored.state, restored.path) = (before.state, before.path)
        restored.sizeLimit = before.sizeLimit
        restore(restored)
      }
      throw NatterError(reporting: error, orElse: .storage, key: "error.storage.write")
    }
    publish(transfer)
  }

  /// - Throws: `NatterError` if it is too late, or cannot be stored: then it goes on.
  func drop(_ id: FileTransfer.ID) async throws {
    if offered.contains(id) {
      throw NatterError(
        .refused, "error.files.offered", ["name": open[id]?.name ?? ""], retry: .never)
    }
    guard let transfer = open.removeValue(forKey: id) else { return }
    unanswered.remove(id)
    waits[id] = nil
    running[id]?.stop.finish()
    do { try await store.remove(id) } catch {
      log.error("forgetting a transfer failed: \(error)")
      restore(transfer)
      throw NatterError(reporting: error, orElse: .storage, key: "error.storage.write")
    }
    if transfer.direction == .download { removePart(of: transfer) }
    hub.publish(.transfersRemoved([id]))
    wake()
  }

  /// Puts back a transfer of which a change could not be stored.
  private func restore(_ transfer: FileTransfer) {
    open[transfer.id] = transfer
    if transfer.state == .running, running[transfer.id] == nil {
      open[transfer.id]?.state = .waiting
    }
    if let restored = current(transfer.id) { hub.publish(.transfersChanged([restored])) }
    wake()
  }
}

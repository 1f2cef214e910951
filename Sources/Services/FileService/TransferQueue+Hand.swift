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
  func removeSizeLimit(of id: FileTransfer.ID) async {
    guard open[id]?.sizeLimit != nil, !isSettling(id) else { return }
    await put(id) { $0.sizeLimit = nil }
  }

  private func isSettling(_ id: FileTransfer.ID) -> Bool { running[id]?.isSettling == true }

  /// Returns the current state of a transfer if it runs, or else its stored state.
  func current(_ id: FileTransfer.ID) -> FileTransfer? {
    guard let stored = open[id] else { return nil }
    guard var moving = running[id]?.gauge.transfer else { return stored }
    moving.state = stored.state
    return moving
  }

  func setPaused(_ id: FileTransfer.ID) async {
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
    await put(id) { transfer in
      if let moving { transfer.progress = moving.progress }
    }
  }

  func setRunning(_ id: FileTransfer.ID) async {
    guard let transfer = open[id], transfer.state == .paused, !isSettling(id) else { return }
    open[id]?.state = running[id] == nil ? .waiting : .running
    await put(id) { _ in }
    // The user may have paused it again.
    if open[id]?.state == .running { running[id]?.gauge.resume() }
    schedule()
    wake()
  }

  /// - Throws: `NatterError` if it is too late, or cannot be stored: then it goes on.
  func drop(_ id: FileTransfer.ID) async throws {
    if offered.contains(id) {
      throw NatterError(
        .refused, "error.files.offered", ["name": open[id]?.name ?? ""], retry: .never)
    }
    guard let transfer = open.removeValue(forKey: id) else { return }
    unanswered.remove(id)
    stranded[id] = nil
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

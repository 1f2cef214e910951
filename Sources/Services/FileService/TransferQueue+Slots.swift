import NatterCore

/// The order of transfers: a few of each direction move at once. What waits for the user, for a
/// reply or for a retry takes no slot.
extension TransferQueue {
  /// The transfers of a direction that are in progress and not paused by the user.
  private func busy(_ direction: FileTransfer.Direction) -> [ActiveTransfer] {
    running.compactMap { id, run in
      open[id]?.direction == direction && open[id]?.state != .paused ? run : nil
    }
  }

  private func hasRoom(for direction: FileTransfer.Direction) -> Bool {
    busy(direction).count(where: \.isMoving) < TransferWidth.moving
  }

  private func mayBegin(_ transfer: FileTransfer) -> Bool {
    guard transfer.state == .waiting, running[transfer.id] == nil,
      waits[transfer.id]?.lasts(at: connections) != true
    else { return false }
    switch transfer.direction {
    case .download: return hasRoom(for: .download)
    case .upload:
      // What is on the web already only needs its message.
      return transfer.address != nil
        || session.channel != nil && busy(.upload).count { !$0.isResting } < TransferWidth.prepared
    }
  }

  /// Begins with the oldest of those that may.
  func next() -> FileTransfer? {
    guard var transfer = open.values.filter(mayBegin).min(by: { $0.id < $1.id }) else { return nil }
    waits[transfer.id] = nil
    transfer.state = .running
    open[transfer.id] = transfer
    running[transfer.id] = ActiveTransfer(
      gauge: TransferGauge(transfer, hub: hub),
      stage: transfer.direction == .download ? .moving : .beside)
    return transfer
  }

  func carry(_ transfer: FileTransfer) async {
    let id = transfer.id
    guard let run = running[id] else { return }
    let (gauge, stops) = (run.gauge, run.stops)
    gauge.report()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.work(on: id, gauge) }
      group.addTask { for await _ in stops {} }
      await group.next()
      group.cancelAll()
    }
    running[id] = nil
    // The user may have resumed it while it was ending.
    if open[id]?.state == .running { open[id]?.state = .waiting }
    if open[id] == nil, transfer.direction == .download, gauge.transfer.state != .done {
      // It may have written once more after it was forgotten.
      removePart(of: gauge.transfer)
    }
    schedule()
    wake()
  }

  /// Waits until this one may move, and is not paused by the user.
  /// - Throws: `CancellationError`.
  func waitForSlot(_ id: FileTransfer.ID) async throws {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard running[id] != nil, !Task.isCancelled else { return continuation.resume() }
        running[id]?.stage = .inLine(continuation)
        schedule()
      }
    } onCancel: {
      Task { await self.leaveLine(id) }
    }
    try Task.checkCancellation()
  }

  private func leaveLine(_ id: FileTransfer.ID) {
    guard case .inLine(let continuation) = running[id]?.stage else { return }
    running[id]?.stage = .beside
    continuation.resume()
  }

  /// Frees a slot. That offers no file: those that wait to be offered in order go on waiting.
  func admit(_ id: FileTransfer.ID, _ stage: ActiveTransfer.Stage) {
    running[id]?.stage = stage
    schedule()
    wakeUp.yield()
  }

  /// Starts the transfers that may move, the oldest first.
  func schedule() {
    for id in running.keys.sorted() {
      guard case .inLine(let continuation) = running[id]?.stage, let transfer = open[id],
        transfer.state == .running, hasRoom(for: transfer.direction)
      else { continue }
      running[id]?.stage = .moving
      continuation.resume()
    }
  }
}

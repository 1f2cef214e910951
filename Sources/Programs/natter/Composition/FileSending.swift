import NatterCore
import Text
import ViewModels

/// Follows a file, and the text that goes with it, until the server has all of it.
actor FileSending {
  /// Grows with each event.
  private(set) var pulse = 0
  /// Indicates whether the message that offers the file is in the outbox.
  private(set) var isShared = false
  /// The message that offers the file, and the one with the text, if they are in the outbox.
  private(set) var messages: [Message.ID] = []
  private let transfer: FileTransfer
  private let format: ItemFormat
  /// Called with the name and the progress of the file as it moves.
  private let show: @Sendable (_ name: String, _ progress: String) async -> Void
  /// The messages' origin-ids.
  private let sought: Set<String>
  /// Origin-ids that the server has not confirmed.
  private var awaited: Set<String>

  init(
    transfer: FileTransfer, format: ItemFormat,
    show: @escaping @Sendable (_ name: String, _ progress: String) async -> Void
  ) {
    self.transfer = transfer
    self.format = format
    self.show = show
    sought = Set([transfer.originID, transfer.textID].compactMap { $0 })
    awaited = sought
  }

  /// - Parameters:
  ///   - events: subscribed to before the file was shared.
  ///   - stored: the messages of a file that an earlier run offered, as far as the user has not
  ///     removed them; `nil`: it is not offered yet.
  func follow(_ events: AsyncStream<DomainEvent>, since stored: [Message]? = nil) async
    -> SendOutcome
  {
    if let stored {
      (isShared, messages) = (true, stored.map(\.id))
      awaited.formIntersection(stored.compactMap(\.originID))
      if let outcome = note(stored) { return outcome }
    }
    for await event in events {
      switch event {
      case .transfersChanged(let changed):
        guard let now = changed.last(where: { $0.id == transfer.id }) else { continue }
        pulse += 1
        if case .failed(let error) = now.state { return .notShared(format.text(error.notice)) }
        await show(now.name, format.progress(of: now))
      case .transfersRemoved(let ids) where ids.contains(transfer.id):
        return .notShared(format.localizer("error.http.cancelled"))
      case .messagesStored(let stored):
        messages += stored.filter { sought.contains($0.originID ?? "") }.map(\.id)
        guard stored.contains(where: { $0.originID == transfer.originID }) else { continue }
        isShared = true
        pulse += 1
      case .messagesChanged(let changed):
        if let outcome = note(changed) { return outcome }
      case .roomsChanged(let rooms):
        if let outcome = SendOutcome(of: transfer.conversation, in: rooms, format) {
          return outcome
        }
      // The policy violation may concern an earlier message: the next sessions show it.
      case .connectionChanged(.waiting(_, let problem)) where problem.kind == .policyViolation:
        break
      case .connectionChanged(.refused(let problem)),
        .connectionChanged(.waiting(_, let problem)):
        return .notConnected(problem)
      default: break
      }
    }
    return .timedOut
  }

  /// Takes note of the deliveries of messages.
  /// - Returns: `nil` if the server has not confirmed all of the file's.
  private func note(_ changed: [Message]) -> SendOutcome? {
    for message in changed {
      guard let originID = message.originID else { continue }
      switch message.delivery {
      case .sent, .delivered, .read: awaited.remove(originID)
      case .failed(let reason) where awaited.contains(originID): return .failed(reason)
      default: break
      }
    }
    return awaited.isEmpty ? .accepted : nil
  }
}

import NatterCore
import Text
import XMPP

/// The file transfers of the open conversation: lines below its messages.
nonisolated struct TimelineTransfers {
  private var known: [FileTransfer.ID: FileTransfer] = [:]

  /// - Returns: whether the lines of `conversation` have changed.
  mutating func apply(_ event: DomainEvent, in conversation: JID?) -> Bool {
    switch event {
    case .transfersChanged(let changed):
      for transfer in changed {
        known[transfer.id] = transfer.state == .done ? nil : transfer
      }
      return changed.contains { $0.conversation == conversation }
    case .transfersRemoved(let ids):
      let gone = ids.compactMap { known.removeValue(forKey: $0) }
      return gone.contains { $0.conversation == conversation }
    default: return false
    }
  }

  /// Returns the lines, oldest first.
  func items(in conversation: JID?, format: ItemFormat) -> [TimelineItem] {
    known.values.filter { $0.conversation == conversation }.sorted { $0.id < $1.id }
      .map { transfer in
        var item = TimelineItem(id: .transfer(transfer.id), kind: .message)
        item.sender = format.localizer(
          transfer.direction == .upload ? "files.sending" : "files.fetching")
        item.author = item.sender
        item.isOwn = transfer.direction == .upload
        let size = transfer.byteCount.map { "  " + format.localizer.size($0) } ?? ""
        item.body = transfer.name + size
        let line = format.progress(of: transfer)
        if case .failed = transfer.state {
          item.failure = line
        } else {
          item.body += "\n" + line
        }
        return item
      }
  }
}

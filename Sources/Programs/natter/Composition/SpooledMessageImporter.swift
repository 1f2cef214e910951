import BridgeService
import Diagnostics
import FoundationEssentials
import MessagingService
import NatterCore
import Sockets
import Storage
import System
import XMPP

/// Takes over the messages that `natter send` could not send while this instance has the account,
/// and those that the server refused.
nonisolated struct SpooledMessageImporter: Sendable {
  let spool: MessageSpool
  let outbox: Outbox
  /// The messages of the account.
  let timeline: any TimelineReading
  let hub: EventHub
  let log: Log
  /// The recipient of something for an address.
  let recipient: @Sendable (JID) async throws -> JID

  /// Takes over existing and new messages, until the task is cancelled.
  /// - Parameter watch: reports new files in a folder; `nil` where it cannot be watched.
  func run(watch: (String) -> FolderMonitor? = { FolderMonitor($0) }) async {
    do { try spool.prepare() } catch {
      log.error("other programs cannot leave messages: \(error)")
      return
    }
    // Watched first, so that messages that arrive during the first read are noticed.
    let watch = watch(spool.folder)
    if watch == nil { log.warning("\(spool.folder) cannot be watched: it is read again and again") }
    repeat { await take() } while await watch.arrives()
  }

  private func take() async {
    let storage = RetryingWrite(hub: hub) { log.error($0) }
    for entry in spool.entries() {
      await storage.perform("a message of another program") {
        let recipient = try await recipient(entry.recipient)
        if try await isStored(entry, to: recipient) {
          // The other process only lost the answer.
        } else if let reason = entry.refusal {
          try await outbox.takeOver(
            entry.body, originID: entry.originID, to: recipient, typedAt: entry.typedAt,
            refusedFor: reason)
        } else {
          try await outbox.takeOver(
            entry.body, thread: entry.thread, originID: entry.originID, to: recipient,
            typedAt: entry.typedAt, attemptedAt: entry.attemptedAt)
        }
        try spool.remove(entry)
      }
    }
  }

  /// Indicates whether a message is stored under another id than its own: as those of a
  /// `request_id`, the ids are of the same message within a day only.
  private func isStored(_ entry: MessageSpool.Entry, to recipient: JID) async throws -> Bool {
    for id in entry.otherIDs {
      guard let message = try await timeline.storedMessage(named: id, in: recipient),
        message.direction == .outgoing
      else { continue }
      if abs(message.sentAt.timeIntervalSince(entry.typedAt)) < BridgeOptions.requestPeriod {
        return true
      }
    }
    return false
  }
}

import Diagnostics
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
        if let reason = entry.refusal {
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
}

import Diagnostics
import NatterCore
import SendService
import Sockets
import Storage
import XMPP

/// Takes over what `natter send` could not send beside the program that has the account, and what the server refused of it.
nonisolated struct SpooledMessageImporter: Sendable {
  let spool: MessageSpool
  let outbox: Outbox
  let hub: EventHub
  let log: Log
  /// Whom something for an address is sent to.
  let recipient: @Sendable (JID) async throws -> JID

  /// Takes what is there and what comes, until the task is cancelled.
  /// - Parameter watch: tells when something comes into a folder; `nil` where it cannot be watched.
  func run(watch: (String) -> FolderMonitor? = { FolderMonitor($0) }) async {
    do { try spool.prepare() } catch {
      log.error("other programs cannot leave messages: \(error)")
      return
    }
    // Watched first: what comes while the folder is read is seen as well.
    let watch = watch(spool.folder)
    if watch == nil { log.warning("\(spool.folder) cannot be watched: it is read again and again") }
    repeat { await take() } while await watch.arrives()
  }

  private func take() async {
    let storage = RetryingWrite(hub: hub) { log.error($0) }
    for entry in spool.entries() {
      await storage.insist(on: "a message of another program") {
        let recipient = try await recipient(entry.recipient)
        if let reason = entry.refusal {
          try await outbox.takeOver(
            entry.body, originID: entry.originID, to: recipient, typedAt: entry.typedAt,
            refusedFor: reason)
        } else {
          try await outbox.takeOver(
            entry.body, originID: entry.originID, to: recipient, typedAt: entry.typedAt,
            attemptedAt: entry.attemptedAt)
        }
        try spool.remove(entry)
      }
    }
  }
}

import Diagnostics
import NatterCore
import XMPP

/// Messages that a server refuses by ending the connection, such as a stanza over its size limit
/// (RFC 6120 §4.9.3.14). They would be sent first in every session and block the others.
extension Outbox {
  package func sessionRefused(_ error: StreamError) async {
    do {
      try await recallSuspects()
      let queued = try await store.queued()
      guard let attempt, suspects.contains(attempt) else {
        // Any of them may be the cause, or none: sending one at a time shows it.
        let written = queued.compactMap(\.originID).filter(state.session.written.contains)
        await suspect(suspects.union(written))
        return
      }
      // It was under way alone, and not for the first time.
      await suspect(suspects.subtracting([attempt]))
      if let message = queued.first(where: { $0.originID == attempt }) {
        try await fail(message, attempt, because: texts.rejection(error))
      }
    } catch {
      // They stay queued, and are found out in the sessions that follow.
      log.error("what the server ended the connection over could not be noted: \(error)")
    }
  }

  /// Those of `waiting` that may be written now.
  func nextToGo(of waiting: [Message]) -> [Message] {
    guard !suspects.isEmpty else { return waiting }
    return attempt == nil ? Array(waiting.prefix(1)) : []
  }

  /// The server has these; what was under way alone was not what it minds, where it is one of them.
  func endAttempt(_ ids: [String]) async {
    guard let attempt, ids.contains(attempt) else { return }
    self.attempt = nil
    await suspect(suspects.subtracting([attempt]))
    await flush()
  }

  // MARK: - Over restarts

  private static let key = "outbox.suspects"

  /// Loads the suspects of an earlier run, once: it may have been killed before the next session.
  func recallSuspects() async throws {
    guard !hasRecalled, let memory else { return }
    let kept = try await memory.values()[Self.key]
    guard !hasRecalled else { return }
    hasRecalled = true
    suspects.formUnion((kept ?? "").split(separator: "\n").map(String.init))
  }

  /// Suspects these and no others.
  func suspect(_ ids: Set<String>) async {
    guard ids != suspects else { return }
    suspects = ids
    do {
      try await memory?.setValue(
        ids.isEmpty ? nil : ids.sorted().joined(separator: "\n"), for: Self.key)
    } catch {
      // It holds for this run all the same.
      log.warning("what the server may mind could not be kept: \(error)")
    }
  }

  /// Whether a message was not written since it has more bytes than the server takes.
  package func isOversized(_ message: Message) -> Bool {
    message.originID.map(oversized.contains) ?? false
  }

  /// Marks a message as failed, and publishes that.
  func fail(_ message: Message, _ originID: String, because reason: String) async throws {
    if let changed = try await store.setDelivery(.failed(reason: reason), ofOriginID: originID) {
      hub.publish(.messagesChanged([changed]))
    }
    if let effect = message.effect { reportRefused(effect, reason) }
  }
}

import Diagnostics
import NatterCore
import XMPP

/// Messages that a server refuses by ending the connection.
extension Outbox {
  package func sessionRefused(_ error: StreamError) async {
    do {
      try await recallSuspects()
      let queued = try await store.queued()
      let written = queued.compactMap(\.originID).filter(state.session.written.contains)
      guard let culprit = await changeSuspects({ $0.noteRefused(written: written) }),
        let message = queued.first(where: { $0.originID == culprit })
      else { return }
      try await deliveries.fail(message, culprit, because: texts.rejection(error))
    } catch {
      // They stay queued, and the sessions that follow find the message at fault.
      log.error("the end of the connection because of a message could not be noted: \(error)")
    }
  }

  /// The server has these: one that was under way alone is not at fault, and the next one may go.
  func endAttempt(_ ids: [String]) async {
    guard await changeSuspects({ $0.noteAcknowledged(ids) }) else { return }
    await flush()
  }

  /// Loads the suspects of an earlier run, once: it may have been killed before the next session.
  func recallSuspects() async throws {
    guard !poison.hasRecalled else { return }
    poison.recall(try await store.suspects())
  }

  /// Stores the suspects if `change` changes them.
  func changeSuspects<Result>(_ change: (inout PoisonGuard) -> Result) async -> Result {
    let before = poison.suspects
    let result = change(&poison)
    if poison.suspects != before { await keepSuspects() }
    return result
  }

  /// Stores the suspects: the program may be killed before the next session.
  private func keepSuspects() async {
    do { try await store.setSuspects(poison.suspects) } catch {
      // They are suspects in this run all the same.
      log.warning("the messages that the server may not accept could not be stored: \(error)")
    }
  }

  /// Indicates whether a message was not written since it has more bytes than the server takes.
  package func isOversized(_ message: Message) -> Bool {
    message.originID.map(poison.oversized.contains) ?? false
  }
}

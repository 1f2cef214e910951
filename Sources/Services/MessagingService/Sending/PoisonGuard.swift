import NatterCore

/// The search for the message because of which a server ends the connection, such as a stanza over
/// its size limit (RFC 6120 §4.9.3.14). It would be sent first in every session and block the
/// others.
///
/// After such an end, all messages in progress are suspects. While there are any, messages are
/// sent one at a time: the one that the server ends the connection over again is at fault.
struct PoisonGuard {
  /// The messages in progress when the server ended a session over one of them, by origin-id, also
  /// of an earlier run.
  private(set) var suspects: Set<String> = []
  /// The message that is under way alone, by origin-id.
  private(set) var attempt: String?
  /// Indicates whether the suspects of an earlier run are included.
  private(set) var hasRecalled = false
  /// The messages that were not written since they have more bytes than the server takes, by
  /// origin-id.
  private(set) var oversized: Set<String> = []

  // MARK: - Sending

  /// Returns those of `waiting` that may be written now: one at a time while there are suspects.
  func writable(of waiting: [Message]) -> [Message] {
    guard !suspects.isEmpty else { return waiting }
    return attempt == nil ? Array(waiting.prefix(1)) : []
  }

  /// The message is about to be written.
  mutating func begin(_ originID: String) {
    if !suspects.isEmpty { attempt = originID }
  }

  /// The message was not written: the connection did not take it, or has ended.
  mutating func endAttempt() { attempt = nil }

  /// The server has these messages: an attempt that is one of them has succeeded.
  /// - Returns: `true` if the next message may be written.
  mutating func noteAcknowledged(_ ids: [String]) -> Bool {
    guard let attempt, ids.contains(attempt) else { return false }
    self.attempt = nil
    suspects.remove(attempt)
    return true
  }

  /// The message has more bytes than the server takes.
  mutating func noteOversized(_ originID: String) { oversized.insert(originID) }

  // MARK: - Suspects

  /// The server ended the connection because of something that it was sent.
  /// - Parameter written: the queued messages that were written in this session, by origin-id.
  /// - Returns: the message at fault, by origin-id: it was under way alone, and not for the first
  ///   time. `nil`: any of `written` may be at fault, or none.
  mutating func noteRefused(written: [String]) -> String? {
    guard let attempt, suspects.contains(attempt) else {
      suspects.formUnion(written)
      return nil
    }
    suspects.remove(attempt)
    return attempt
  }

  /// Only messages that are still queued are suspects.
  mutating func keepSuspects(among queued: [String]) { suspects.formIntersection(queued) }

  /// Adds the suspects of an earlier run, once.
  mutating func recall(_ ids: [String]) {
    guard !hasRecalled else { return }
    hasRecalled = true
    suspects.formUnion(ids)
  }
}

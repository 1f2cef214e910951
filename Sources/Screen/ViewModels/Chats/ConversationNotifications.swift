import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The notification rules of an account's conversations. A conversation is muted by its rule
/// (`NotificationRule.none`), or until a time, whatever its rule is.
package final class ConversationNotifications {
  /// Called when a conversation was muted, or is no longer.
  package var onChange: () -> Void = {}

  private let store: NotificationStore
  private let scheduler: Scheduler?
  private let now: () -> Date
  private var ends: [JID: Date] = [:]
  private var muted: Set<JID> = []
  private var cancelWait: (() -> Void)?

  /// The longest wait for the end of a mute: timers stop while the computer sleeps.
  private static let longestWait: TimeInterval = 600

  /// - Parameter scheduler: `nil`: mutes end for notifications, but `onChange` is not called.
  package init(
    _ store: NotificationStore = NotificationStore(), scheduler: Scheduler? = nil,
    now: @escaping () -> Date = { Date() }
  ) {
    (self.store, self.scheduler, self.now) = (store, scheduler, now)
    reload()
  }

  /// Returns the rule that applies now.
  package func rule(of jid: JID) -> NotificationRule {
    end(of: jid) == nil ? store.rule(jid) : .none
  }

  /// Returns the rule that is stored, which applies again after a mute.
  package func storedRule(of jid: JID) -> NotificationRule { store.rule(jid) }

  /// Returns whether a conversation is muted in the list, by its rule or until a time.
  package func isMuted(_ jid: JID) -> Bool { muted.contains(jid) }

  /// Returns the time until which a conversation is muted; `nil` without one.
  package func end(of jid: JID) -> Date? { ends[jid].flatMap { $0 > now() ? $0 : nil } }

  /// Stores the rule that the user chose, which ends a mute.
  /// - Throws: `NatterError` if it cannot be stored.
  package func setRule(_ rule: NotificationRule, of jid: JID) async throws {
    try await publish(rule, of: jid) {
      try store.setRule(jid, rule)
      if ends[jid] != nil { try store.setEnd(jid, nil) }
    }
    reload()
  }

  /// Stores a rule for the account's other clients, and here. If it cannot be stored here, they
  /// keep the former one.
  private func publish(
    _ rule: NotificationRule, of jid: JID, storing write: () throws -> Void
  ) async throws {
    let former = store.rule(jid)
    try await store.publish(jid, rule)
    do { try write() } catch {
      if store.rule(jid) == former { try await store.publish(jid, former) }
      throw error
    }
  }

  /// Mutes a conversation until a time, which replaces a mute for good.
  /// - Throws: `NatterError` if that cannot be stored.
  package func mute(_ jid: JID, until end: Date) async throws {
    // The rule would mute the conversation after that time, too.
    if store.rule(jid) == .none {
      try await publish(.standard, of: jid) {
        try store.setEnd(jid, end)
        try store.setRule(jid, .standard)
      }
    } else {
      try store.setEnd(jid, end)
    }
    reload()
  }

  /// Ends a mute of either kind.
  /// - Throws: `NatterError` if that cannot be stored.
  package func unmute(_ jid: JID) async throws {
    if store.rule(jid) == .none { return try await setRule(.standard, of: jid) }
    try store.setEnd(jid, nil)
    reload()
  }

  /// Reads the stored values again: another client of the account may have changed a rule.
  package func reload() {
    ends = store.ends()
    let present = store.silenced().union(ends.keys.filter { end(of: $0) != nil })
    if present != muted {
      muted = present
      onChange()
    }
    awaitEnd()
  }

  private func awaitEnd() {
    cancelWait?()
    cancelWait = nil
    let time = now()
    guard let next = ends.values.filter({ $0 > time }).min() else { return }
    // A little later, so that the end is in the past then.
    let wait = min(next.timeIntervalSince(time) + 0.01, Self.longestWait)
    cancelWait = scheduler?.after(.seconds(wait)) { [weak self] in self?.reload() }
  }
}

// What `/mute` and `/unmute` do, in the full screen and in line mode.
extension ConversationNotifications {
  /// The times that completion offers.
  nonisolated package static let offeredTimes = ["1h", "8h", "always"]

  /// Mutes a conversation as the user typed: for a time (`30m`, `8h`, `2d`), or `always`. Without a
  /// time it mutes for good, or ends a mute.
  /// - Returns: the notice of the result.
  /// - Throws: `NatterError` if the time is not valid, or cannot be stored.
  package func mute(_ jid: JID, for typed: String, _ format: ItemFormat) async throws
    -> StatusNotice
  {
    switch typed.lowercased() {
    case "" where rule(of: jid) == .none: return try await unmuteReporting(jid)
    case "", "always": try await setRule(.none, of: jid)
    case let word:
      guard let seconds = Self.seconds(word) else {
        throw NatterError(.invalidInput, "error.badMute", ["text": typed])
      }
      let end = now().addingTimeInterval(seconds)
      try await mute(jid, until: end)
      return StatusNotice(
        .info, "status.mutedUntil", ["time": format.moment(end, now: now())])
    }
    return StatusNotice(.info, NotificationRule.none.noticeKey)
  }

  /// Ends a mute.
  /// - Returns: the notice of the result.
  /// - Throws: `NatterError` if that cannot be stored.
  package func unmuteReporting(_ jid: JID) async throws -> StatusNotice {
    guard rule(of: jid) == .none else { return StatusNotice(.info, "status.notMuted") }
    try await unmute(jid)
    return StatusNotice(.info, rule(of: jid).noticeKey)
  }

  /// Returns the text of a mute for the header; empty if the conversation is not muted.
  func text(of jid: JID, _ format: ItemFormat) -> String {
    guard isMuted(jid) else { return "" }
    guard let end = end(of: jid) else { return format.localizer("header.muted") }
    return format.localizer("header.mutedUntil", ["time": format.moment(end, now: now())])
  }

  /// Reads a number of minutes, hours or days, of a year at most.
  private nonisolated static func seconds(_ word: String) -> TimeInterval? {
    let units: [Character: Int] = ["m": 60, "h": 3600, "d": 86_400]
    guard let unit = word.last.flatMap({ units[$0] }), let count = Int(word.dropLast()),
      count > 0, count <= 366 * 86_400 / unit
    else { return nil }
    return TimeInterval(count * unit)
  }
}

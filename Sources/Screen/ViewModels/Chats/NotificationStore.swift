import FoundationEssentials
import XMPP

/// The stored notification rules of an account's conversations, and the ends of their mutes.
package struct NotificationStore {
  /// Returns the rule of a conversation.
  package var rule: (JID) -> NotificationRule = { _ in .standard }
  /// Stores a rule for the account's other clients, before `setRule` does: the rule that they know
  /// replaces the stored one at the next start. Throws `NatterError`: then nothing has changed.
  package var publish: (JID, NotificationRule) async throws -> Void = { _, _ in }
  /// Stores a rule, or throws `NatterError`: then the former rule stays.
  package var setRule: (JID, NotificationRule) throws -> Void = { _, _ in }
  /// Returns the conversations whose rule is `NotificationRule.none`.
  package var silenced: () -> Set<JID> = { [] }
  /// Returns the times until which conversations are muted, past ones included.
  package var ends: () -> [JID: Date] = { [:] }
  /// Stores the time until which a conversation is muted; `nil` removes it. Throws `NatterError`.
  package var setEnd: (JID, Date?) throws -> Void = { _, _ in }

  package init() {}
}

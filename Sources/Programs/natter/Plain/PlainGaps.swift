import FoundationEssentials
import NatterCore
import XMPP

/// The gaps in the history of the conversations that are printed: a line marks each, so that two
/// messages that are no neighbours never look as if they were (flows.md, "Receiving").
struct PlainGaps {
  /// The time at the position of the last printed message of each conversation.
  private var last: [JID: Date] = [:]
  /// The gaps around the messages that are being printed. They are set without a suspension before
  /// these are printed: what another task prints meanwhile has gaps of its own.
  var known: [JID: [HistoryHole]] = [:]

  /// Forgets what was printed of a conversation: its newest messages are about to be printed again.
  mutating func restart(_ conversation: JID) { last[conversation] = nil }

  /// Notes that a message is printed.
  /// - Returns: whether messages are missing between the one printed before and this one.
  mutating func note(_ message: Message) -> Bool {
    let jid = message.conversation
    let time = message.position.time
    defer { last[jid] = time }
    guard let last = last[jid] else { return false }
    return known[jid]?.contains { $0.after < time && $0.before > last } == true
  }
}

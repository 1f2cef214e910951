import FoundationEssentials
import NatterCore
import ViewModels
import XMPP

/// The gaps in the history of the conversations that are printed: a line marks each, so that two
/// messages that are no neighbours never look as if they were (flows.md, "Receiving").
struct PlainGaps {
  /// The time at the position of the last printed message of each conversation.
  private var last: [JID: Date] = [:]
  /// The gaps around the messages that are being printed. They are set without a suspension before
  /// these are printed: what another task prints meanwhile has gaps of its own.
  var known: [JID: [HistoryHole]] = [:]
  /// The fetching of everything that is missing in a conversation; `nil`: none was begun.
  var fetching: WholeHistory?
  private(set) var isOnline = false

  /// Takes an event of the account.
  /// - Returns: the event as it is to be printed: not the old messages that the user has fetched.
  mutating func take(_ event: DomainEvent) -> DomainEvent {
    if case .connectionChanged(let state) = event { isOnline = state == .online }
    fetching?.handle(event)
    guard case .historyStored(let messages, missed: true) = event,
      let fetched = fetching?.progress?.conversation,
      messages.allSatisfy({ $0.conversation == fetched })
    else { return event }
    return .historyStored(messages)
  }

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

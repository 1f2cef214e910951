import FoundationEssentials
import NatterCore
import XMPP

/// The order of the conversations in each part of the list.
nonisolated package enum ConversationOrder: String, Sendable, CaseIterable {
  /// By the time of the newest message.
  case recent
  /// By number, as the user has moved them.
  case manual
  /// By name.
  case alphabet
}

/// Sorts conversations, regardless of what is unread.
struct ConversationSorting {
  let order: ConversationOrder
  let numbers: [JID: Int]
  /// Those that are sorted by number in any order.
  let pinned: Set<JID>
  let people: People

  private struct Key: Comparable {
    let number: Int
    let age: TimeInterval
    let name: String
    let address: String

    static func < (a: Key, b: Key) -> Bool {
      (a.number, a.age, a.name, a.address) < (b.number, b.age, b.name, b.address)
    }
  }

  func sorted(_ conversations: some Collection<Conversation>) -> [JID] {
    conversations.map { (jid: $0.jid, key: key(of: $0)) }.sorted { $0.key < $1.key }.map(\.jid)
  }

  private func key(of conversation: Conversation) -> Key {
    let jid = conversation.jid
    let isByNumber = order == .manual || pinned.contains(jid)
    return Key(
      number: isByNumber ? numbers[jid] ?? .max : 0,
      age: order == .recent
        ? -(conversation.lastActivity ?? .distantPast).timeIntervalSinceReferenceDate : 0,
      name: people.name(of: jid).lowercased(), address: jid.description)
  }
}

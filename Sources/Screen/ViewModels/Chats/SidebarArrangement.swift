import NatterCore
import XMPP

/// The stored state of the list of conversations: their numbers, and the user's own order, if any.
nonisolated package struct SidebarArrangement: Hashable, Sendable {
  package private(set) var numbers: [JID: Int] = [:]
  /// The pinned conversations.
  package private(set) var pinned: Set<JID> = []
  /// True if the user has chosen an order: then the numbers order the list, otherwise the names.
  package private(set) var isOwn = false

  /// The first line if the list is ordered by name.
  private static let byName = "by-name"

  package init() {}

  package init(numbers: [JID: Int], pinned: Set<JID>, isOwn: Bool) {
    (self.numbers, self.pinned, self.isOwn) = (numbers, pinned, isOwn)
  }

  /// Parses the format of `text`; invalid lines are skipped.
  package init(text: String) {
    var taken: Set<Int> = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3, let number = Int(words[0]), number > 0,
        let jid = JID(parsing: String(words[2])), taken.insert(number).inserted
      else { continue }
      numbers[jid] = number
      if words[1] == "*" { pinned.insert(jid) }
    }
    isOwn = !numbers.isEmpty && text.prefix { $0 != "\n" } != Self.byName
  }

  /// Pins a conversation, or removes its pin. A conversation without a number gets the next one.
  package mutating func setPinned(_ isPinned: Bool, _ jid: JID) {
    guard isPinned else {
      pinned.remove(jid)
      return
    }
    if numbers[jid] == nil { numbers[jid] = (numbers.values.max() ?? 0) + 1 }
    pinned.insert(jid)
  }

  /// A line for each conversation: `3 * bob@example.net`, with `-` if it is not pinned.
  package var text: String {
    let lines = numbers.sorted { $0.value < $1.value }
      .map { "\($0.value) \(pinned.contains($0.key) ? "*" : "-") \($0.key)" }
    return ((isOwn ? [] : [Self.byName]) + lines).joined(separator: "\n")
  }
}

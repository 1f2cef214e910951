import NatterCore
import XMPP

/// The person's own order of the conversations: their numbers, and those that are pinned to the top.
nonisolated package struct SidebarArrangement: Hashable, Sendable {
  package private(set) var numbers: [JID: Int] = [:]
  package private(set) var pinned: Set<JID> = []

  package init() {}

  package init(numbers: [JID: Int], pinned: Set<JID>) {
    (self.numbers, self.pinned) = (numbers, pinned)
  }

  /// Reads what `text` wrote; lines that make no sense are passed over.
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
  }

  /// A line for each conversation: `3 * bob@example.net`, with `-` where it is not pinned.
  package var text: String {
    numbers.sorted { $0.value < $1.value }
      .map { "\($0.value) \(pinned.contains($0.key) ? "*" : "-") \($0.key)" }
      .joined(separator: "\n")
  }
}

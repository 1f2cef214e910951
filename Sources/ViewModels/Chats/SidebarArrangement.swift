import NatterCore
import XMPP

/// What is kept of the list of conversations: their numbers, and the person's own order, if there is one.
nonisolated package struct SidebarArrangement: Hashable, Sendable {
  package private(set) var numbers: [JID: Int] = [:]
  /// Those at the top.
  package private(set) var pinned: Set<JID> = []
  /// Whether the person has chosen an order: then it is the numbers that order the list, and else the names.
  package private(set) var isOwn = false

  /// The first line where the list goes by name.
  private static let byName = "by-name"

  package init() {}

  package init(numbers: [JID: Int], pinned: Set<JID>, isOwn: Bool) {
    (self.numbers, self.pinned, self.isOwn) = (numbers, pinned, isOwn)
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
    isOwn = !numbers.isEmpty && text.prefix { $0 != "\n" } != Self.byName
  }

  /// A line for each conversation: `3 * bob@example.net`, with `-` where it is not pinned.
  package var text: String {
    let lines = numbers.sorted { $0.value < $1.value }
      .map { "\($0.value) \(pinned.contains($0.key) ? "*" : "-") \($0.key)" }
    return ((isOwn ? [] : [Self.byName]) + lines).joined(separator: "\n")
  }
}

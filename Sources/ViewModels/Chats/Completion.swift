import NatterCore

/// One thing Tab can put into the input.
nonisolated package struct CompletionItem: Hashable, Sendable {
  /// What is inserted.
  package let text: String
  /// More about it, beside it in the list.
  package let detail: String
  /// Whether it names somebody in a room: at the start of a line he is addressed with a colon.
  package let isNick: Bool
  package init(text: String, detail: String = "", isNick: Bool = false) {
    self.text = text
    self.detail = detail
    self.isNick = isNick
  }
}

/// A completion under way: the candidates and the one that stands in the text now.
nonisolated package struct Completion: Hashable, Sendable {
  package let items: [CompletionItem]
  package var index: Int
  /// The text before the word that is completed, and what stands behind the cursor.
  let head: String
  let tail: String
}

/// Finds what can stand at the cursor.
package struct CompletionSource {
  private let table: CommandTable
  private let localizer: Localizer
  private let candidates: (Command.Parameter) -> [CompletionItem]

  /// - Parameter candidates: what a parameter of that kind can be; for `.text` the names of people.
  package init(
    table: CommandTable, localizer: Localizer,
    candidates: @escaping (Command.Parameter) -> [CompletionItem]
  ) {
    self.table = table
    self.localizer = localizer
    self.candidates = candidates
  }

  /// What begins like the word before the cursor.
  /// - Parameters:
  ///   - head: the text before the cursor.
  ///   - tail: the text behind it.
  func completion(head: String, tail: String) -> Completion? {
    let word = head.split(omittingEmptySubsequences: false) { $0.isWhitespace }.last ?? ""
    let before = String(head.dropLast(word.count))
    let items: [CompletionItem]
    if head.hasPrefix("/"), !head.hasPrefix("//") {
      items = before.isEmpty ? commandNames(word.dropFirst()) : arguments(of: before, word)
    } else if !word.isEmpty {
      items = names(word).map {
        before.isEmpty && $0.isNick ? CompletionItem(text: $0.text + ":", detail: $0.detail) : $0
      }
    } else {
      items = []
    }
    guard !items.isEmpty else { return nil }
    return Completion(items: items, index: 0, head: before, tail: tail)
  }

  private func commandNames(_ word: some StringProtocol) -> [CompletionItem] {
    let wanted = word.lowercased()
    return table.commands.filter { $0.name.hasPrefix(wanted) }.map {
      CompletionItem(text: "/" + $0.name, detail: localizer($0.summaryKey))
    }
  }

  private func arguments(of before: String, _ word: Substring) -> [CompletionItem] {
    let words = before.dropFirst().split(whereSeparator: \.isWhitespace)
    guard let name = words.first, let command = try? table.command(named: String(name)),
      // An unknown command has no arguments to complete; saying so is for Enter.
      command.parameters.count >= words.count
    else { return [] }
    let parameter = command.parameters[words.count - 1]
    return parameter == .text ? names(word) : matching(candidates(parameter), word)
  }

  private func names(_ word: Substring) -> [CompletionItem] {
    guard !word.isEmpty else { return [] }
    let sign = word.hasPrefix("@") ? "@" : ""
    return matching(candidates(.text), word.dropFirst(sign.count)).map {
      CompletionItem(text: sign + $0.text, detail: $0.detail, isNick: $0.isNick)
    }
  }

  private func matching(_ items: [CompletionItem], _ word: Substring) -> [CompletionItem] {
    let wanted = word.lowercased()
    var seen: Set<String> = []
    return items.filter {
      ($0.text.lowercased().hasPrefix(wanted) || $0.detail.lowercased().hasPrefix(wanted))
        && seen.insert($0.text).inserted
    }
  }
}

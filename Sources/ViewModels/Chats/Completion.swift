import NatterCore
import XMPP

/// One thing Tab can put into the input.
nonisolated package struct CompletionItem: Hashable, Sendable {
  /// What is inserted.
  package let text: String
  /// More about it, beside it in the list.
  package let detail: String
  /// Whether it names somebody in a room: at the start of a line he is addressed with a colon.
  package let isNick: Bool
  /// Whether more can follow at once, as behind a folder: no blank is put there.
  package let isOpen: Bool
  package init(text: String, detail: String = "", isNick: Bool = false, isOpen: Bool = false) {
    self.text = text
    self.detail = detail
    self.isNick = isNick
    self.isOpen = isOpen
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

/// What was asked for by a completion, and what came of it.
nonisolated struct AskedCompletion {
  let head: String
  let tail: String
  var items: [CompletionItem]
  /// The whole text since then, as long as nobody types.
  var text: String
}

/// Finds what can stand at the cursor.
package struct CompletionSource {
  private let table: CommandTable
  private let localizer: Localizer
  private let candidates: (Command.Parameter) -> [CompletionItem]
  private let paths: (String) -> [CompletionItem]

  /// - Parameters:
  ///   - candidates: what a parameter of that kind can be; for `.text` the names of people.
  ///   - paths: the files and folders whose path begins so.
  package init(
    table: CommandTable, localizer: Localizer,
    candidates: @escaping (Command.Parameter) -> [CompletionItem],
    paths: @escaping (String) -> [CompletionItem] = { _ in [] }
  ) {
    self.table = table
    self.localizer = localizer
    self.candidates = candidates
    self.paths = paths
  }

  /// What begins like the word before the cursor.
  /// - Parameters:
  ///   - head: the text before the cursor.
  ///   - tail: the text behind it.
  func completion(head: String, tail: String) -> Completion? {
    let word = Self.word(
      at: head.split(omittingEmptySubsequences: false) { $0.isWhitespace }.last ?? "")
    let before = String(head.dropLast(word.count))
    let items: [CompletionItem]
    if let found = pathCompletion(head: head, tail: tail) { return found }
    if head.isCommandLine {
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

  /// What is completed of the text since the last blank: where no blanks are put between words, the name of an emoji begins
  /// at its colon.
  private static func word(at end: Substring) -> Substring {
    guard let colon = end.lastIndex(where: EmojiNames.colons.contains), colon > end.startIndex,
      let before = end[end.index(before: colon)].unicodeScalars.first, before.value >= 0x2E80
    else { return end }
    return end[colon...]
  }

  private func commandNames(_ word: some StringProtocol) -> [CompletionItem] {
    let wanted = word.lowercased()
    let own = table.commands.filter { $0.name.hasPrefix(wanted) }.map {
      CompletionItem(text: "/" + $0.name, detail: localizer($0.summaryKey))
    }
    // All of them twice would be too many to choose from.
    guard !wanted.isEmpty else { return own }
    return own
      + table.translated.filter { $0.name.hasPrefix(wanted) }.map {
        CompletionItem(text: "/" + $0.name, detail: localizer($0.command.summaryKey))
      }
  }

  private func arguments(of before: String, _ word: Substring) -> [CompletionItem] {
    let words = before.dropFirst().split(whereSeparator: \.isWhitespace)
    guard let name = words.first, let command = try? table.command(named: String(name)),
      // An unknown command has no arguments to complete; saying so is for Enter. Text goes on to the end of the line.
      command.parameters.count >= words.count || command.parameters.last == .text
    else { return [] }
    let parameter = command.parameters[min(words.count, command.parameters.count) - 1]
    switch parameter {
    case .text: return names(word)
    case .room: return matching(candidates(.room), word.hasPrefix("#") ? word.dropFirst() : word)
    default: return matching(candidates(parameter), word)
    }
  }

  /// Of a command that takes a path all of the rest is the path: there may be blanks in it.
  private func pathCompletion(head: String, tail: String) -> Completion? {
    guard head.isCommandLine, let blank = head.firstIndex(where: \.isWhitespace),
      let command = try? table.command(named: String(head[..<blank].dropFirst())),
      command.parameters.contains(.path)
    else { return nil }
    var path = head[blank...].drop(while: \.isWhitespace)
    // The number of a file may stand before it.
    let number = path.prefix { $0.isASCII && $0.isNumber }
    if !number.isEmpty, path[number.endIndex...].first?.isWhitespace == true {
      path = path[number.endIndex...].drop(while: \.isWhitespace)
    }
    let items = paths(String(path))
    guard !items.isEmpty else { return nil }
    return Completion(items: items, index: 0, head: String(head[..<path.startIndex]), tail: tail)
  }

  private func names(_ word: Substring) -> [CompletionItem] {
    guard !word.isEmpty else { return [] }
    if let first = word.first, EmojiNames.colons.contains(first) {
      return EmojiNames(tag: localizer.tag).matching(word.dropFirst()).map {
        CompletionItem(text: $0.emoji, detail: ":\($0.name):")
      }
    }
    // What others can open with a key or a click.
    if word.hasPrefix("#") {
      return matching(candidates(.room), word.dropFirst()).compactMap { item in
        JID(parsing: item.text).map {
          CompletionItem(text: ResourceAddress.xmpp($0, query: "join"), detail: item.detail)
        }
      }
    }
    if word.hasPrefix("~/") { return paths(String(word)) }
    let sign = word.hasPrefix("@") ? "@" : ""
    return matching(candidates(.text), word.dropFirst(sign.count)).map {
      CompletionItem(text: sign + $0.text, detail: $0.detail, isNick: $0.isNick)
    }
  }

  private func matching(_ items: [CompletionItem], _ word: Substring) -> [CompletionItem] {
    let wanted = SearchForm.of(word)
    var seen: Set<String> = []
    let byName = items.filter { SearchForm.of($0.text).hasPrefix(wanted) }
    // What is told of something leads to it as well, behind what is called so.
    let byDetail = items.filter { SearchForm.of($0.detail).hasPrefix(wanted) }
    return (byName + byDetail).filter { seen.insert($0.text).inserted }
  }
}

import NatterCore
import Text
import XMPP

/// A candidate that Tab can insert into the input.
nonisolated package struct CompletionItem: Hashable, Sendable {
  /// The text to insert.
  package let text: String
  /// More information, beside it in the list.
  package let detail: String
  /// True if it names an occupant: at the start of a line a colon follows it.
  package let isNick: Bool
  /// True if more text can follow directly, as after a folder: no space is inserted.
  package let isOpen: Bool
  package init(text: String, detail: String = "", isNick: Bool = false, isOpen: Bool = false) {
    self.text = text
    self.detail = detail
    self.isNick = isNick
    self.isOpen = isOpen
  }
}

/// A completion in progress: the candidates and the one that is in the text now.
nonisolated package struct Completion: Hashable, Sendable {
  package let items: [CompletionItem]
  package var index: Int
  /// The text before the word to complete, and the text after the cursor.
  let head: String
  let tail: String
}

/// A completion whose candidates were requested, and the result.
nonisolated struct AskedCompletion {
  let head: String
  let tail: String
  var items: [CompletionItem]
  /// The whole text since then, as long as the user does not type.
  var text: String
}

/// Finds the candidates at the cursor.
package struct CompletionSource {
  private let table: CommandTable
  private let localizer: Localizer
  private let candidates: (Command.Parameter) -> [CompletionItem]
  private let paths: (String) -> [CompletionItem]

  /// - Parameters:
  ///   - candidates: the values of a parameter of that kind; for `.text` the names of people.
  ///   - paths: the files and folders whose path has that prefix.
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

  /// Returns the candidates whose prefix is the word before the cursor.
  /// - Parameters:
  ///   - head: the text before the cursor.
  ///   - tail: the text after it.
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

  /// Returns the word to complete, which starts after the last space. In scripts without spaces the
  /// name of an emoji begins at its colon.
  private static func word(at end: Substring) -> Substring {
    guard let colon = end.lastIndex(where: EmojiNames.colons.contains), colon > end.startIndex,
      let before = end[end.index(before: colon)].unicodeScalars.first, before.value >= 0x2E80
    else { return end }
    return end[colon...]
  }

  private func commandNames(_ word: some StringProtocol) -> [CompletionItem] {
    let wanted = word.lowercased()
    let own = table.all.filter { $0.name.hasPrefix(wanted) }.map {
      CompletionItem(text: "/" + $0.name, detail: localizer.summary(of: $0))
    }
    // All of them twice would be too long a list.
    guard !wanted.isEmpty else { return own }
    return own
      + table.translated.filter { $0.name.hasPrefix(wanted) }.map {
        CompletionItem(text: "/" + $0.name, detail: localizer($0.command.summaryKey))
      }
  }

  private func arguments(of before: String, _ word: Substring) -> [CompletionItem] {
    let words = before.dropFirst().split(whereSeparator: \.isWhitespace)
    guard let name = words.first, let command = try? table.command(named: String(name)),
      !command.parameters.contains(.path),
      // An unknown command has no arguments to complete; Enter reports it. A text parameter extends
      // to the end of the line.
      command.parameters.count >= words.count || command.parameters.last == .text
    else { return [] }
    let parameter = command.parameters[min(words.count, command.parameters.count) - 1]
    switch parameter {
    case .text: return names(word)
    case .room: return matching(candidates(.room), word.hasPrefix("#") ? word.dropFirst() : word)
    default: return matching(candidates(parameter), word)
    }
  }

  /// For a command that takes a path, the path is all of the rest: it may contain spaces.
  private func pathCompletion(head: String, tail: String) -> Completion? {
    guard head.isCommandLine, let blank = head.firstIndex(where: \.isWhitespace),
      let command = try? table.command(named: String(head[..<blank].dropFirst())),
      command.parameters.contains(.path)
    else { return nil }
    var path = head[blank...].drop(while: \.isWhitespace)
    // The number of a file may precede it.
    let number = path.prefix { $0.isASCII && $0.isNumber }
    if !number.isEmpty, path[number.endIndex...].first?.isWhitespace == true {
      path = path[number.endIndex...].drop(while: \.isWhitespace)
    }
    var words: [CompletionItem] = []
    // Keywords precede the path, or are entered instead of it.
    let isPathFirst = command.parameters.first == .path
    if let keywords = command.parameters.first(where: { $0 != .path }) {
      let word = path.prefix { !$0.isWhitespace }
      if word.endIndex == path.endIndex {
        words = matching(candidates(keywords), word)
      } else if !isPathFirst, candidates(keywords).contains(where: { $0.text == word }) {
        path = path[word.endIndex...].drop(while: \.isWhitespace)
      }
    }
    let files = paths(String(path))
    let items = isPathFirst ? files + words : words + files
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
    // Addresses that others can open with a key or a click.
    if word.hasPrefix("#") {
      return matching(candidates(.room), word.dropFirst()).compactMap { item in
        JID(parsing: item.text).map {
          CompletionItem(text: ResourceAddress.xmpp($0, query: "join"), detail: item.detail)
        }
      }
    }
    if word.hasPrefix("~/") { return paths(String(word)) }
    let mark = word.hasPrefix("@") ? "@" : ""
    return matching(candidates(.text), word.dropFirst(mark.count)).map {
      CompletionItem(text: mark + $0.text, detail: $0.detail, isNick: $0.isNick)
    }
  }

  private func matching(_ items: [CompletionItem], _ word: Substring) -> [CompletionItem] {
    let wanted = SearchForm.of(word)
    var seen: Set<String> = []
    let byName = items.filter { SearchForm.of($0.text).hasPrefix(wanted) }
    // The details match as well, after the matches by name.
    let byDetail = items.filter { SearchForm.of($0.detail).hasPrefix(wanted) }
    return (byName + byDetail).filter { seen.insert($0.text).inserted }
  }
}

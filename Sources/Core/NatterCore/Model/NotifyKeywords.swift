/// The keywords that notify the user of an account: a message of another sender that contains one
/// counts as a mention. Case and accents do not count. A word has to be a whole word of the
/// message, except in scripts without spaces, where it is found anywhere.
package struct NotifyKeywords: Hashable, Sendable {
  /// The greatest number of keywords of an account.
  package static let limit = 100
  /// The greatest number of characters of a word.
  package static let wordLimit = 100
  /// The key of the account's value that has them (`text`).
  package static let key = "notify.words"

  /// A reason why a word is not accepted.
  package enum Refusal: Error, Hashable {
    /// It has no character that could be found.
    case empty
    /// It is longer than `wordLimit`.
    case long
    /// There are `limit` keywords already.
    case full
    /// It is there already, perhaps with other capitals or accents.
    case known
  }

  /// The form of a word that is compared.
  private struct Form: Hashable {
    let scalars: [UInt32]
    let (isUnspacedFirst, isUnspacedLast): (Bool, Bool)

    /// - Returns: `nil` for a text that cannot be found.
    init?(_ word: String) {
      scalars = FoldedText(word).scalars
      guard let first = scalars.first, let last = scalars.last else { return nil }
      isUnspacedFirst = FoldedText.isUnspaced(first)
      isUnspacedLast = FoldedText.isUnspaced(last)
    }
  }

  /// The keywords as they were typed, in the order in which they were added.
  package private(set) var list: [String] = []
  /// The forms by their first scalar, the longest first.
  private var forms: [UInt32: [Form]] = [:]

  package init() {}

  /// Compares the lists: the forms follow from them.
  package static func == (first: Self, second: Self) -> Bool { first.list == second.list }
  package func hash(into hasher: inout Hasher) { hasher.combine(list) }

  /// Reads a stored value: a word in each line. Lines that are not valid are left out.
  package init(text: String?) {
    for line in (text ?? "").split(whereSeparator: \.isNewline) { try? add(String(line)) }
  }

  /// The value to store; `nil`: there are no keywords.
  package var text: String? { list.isEmpty ? nil : list.joined(separator: "\n") }

  /// Indicates whether there are no keywords.
  package var isEmpty: Bool { list.isEmpty }

  /// Adds a word, which may have several parts that have to follow each other.
  /// - Throws: `Refusal`; then nothing has changed.
  package mutating func add(_ typed: String) throws(Refusal) {
    let word = Self.word(typed)
    // A character may consist of many scalars.
    guard word.count <= Self.wordLimit, word.unicodeScalars.count <= 4 * Self.wordLimit else {
      throw .long
    }
    guard let form = Form(word), word.unicodeScalars.contains(where: Self.isVisible) else {
      throw .empty
    }
    guard !contains(form) else { throw .known }
    guard list.count < Self.limit else { throw .full }
    list.append(word)
    insert(form)
  }

  /// Removes a word; case and accents do not count.
  /// - Returns: the word as it was added; `nil` if it is not there.
  package mutating func remove(_ typed: String) -> String? {
    guard let form = Form(Self.word(typed)), let first = form.scalars.first, contains(form),
      let index = list.firstIndex(where: { Form($0) == form })
    else { return nil }
    forms[first]?.removeAll { $0 == form }
    return list.remove(at: index)
  }

  /// Returns whether `text` contains one of the keywords.
  package func match(_ text: String) -> Bool { !ranges(in: text, atMost: 1).isEmpty }

  /// Returns where the keywords are in `text`, in order.
  package func ranges(in text: String) -> [Range<String.Index>] {
    ranges(in: text, atMost: .max)
  }

  private func ranges(in text: String, atMost limit: Int) -> [Range<String.Index>] {
    guard !list.isEmpty else { return [] }
    let folded = FoldedText(text)
    var found: [Range<String.Index>] = []
    var index = 0
    while index < folded.count, found.count < limit {
      if let end = end(at: index, in: folded) {
        found.append(folded.range(index..<end))
        index = end
      } else {
        index += 1
      }
    }
    return found
  }

  /// Returns the end of the longest word that begins at a character.
  private func end(at index: Int, in text: FoldedText) -> Int? {
    guard let start = text.start(of: index), let candidates = forms[text.scalars[start]] else {
      return nil
    }
    for form in candidates {
      let rest = text.scalars[start...]
      guard rest.count >= form.scalars.count, rest.starts(with: form.scalars),
        let end = text.character(at: start + form.scalars.count),
        form.isUnspacedFirst || !text.continuesWord(index - 1),
        form.isUnspacedLast || !text.continuesWord(end)
      else { continue }
      return end
    }
    return nil
  }

  private func contains(_ form: Form) -> Bool {
    form.scalars.first.flatMap { forms[$0] }?.contains(form) ?? false
  }

  private mutating func insert(_ form: Form) {
    guard let first = form.scalars.first else { return }
    forms[first, default: []].append(form)
    forms[first]?.sort { $0.scalars.count > $1.scalars.count }
  }

  /// Returns a typed text with single spaces between its parts: the form has them too.
  private static func word(_ typed: String) -> String {
    typed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .unassigned, .spaceSeparator, .lineSeparator,
      .paragraphSeparator, .nonspacingMark, .enclosingMark:
      false
    default: true
    }
  }
}

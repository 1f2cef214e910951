import FoundationEssentials

/// A search for messages, read from what the user types: terms, `"phrases"`, `-term` for messages
/// without it, and filters such as `from:alice`. Every text can be read as a search.
package struct SearchQuery: Hashable, Sendable {
  /// A part of the text of a message.
  package struct Term: Hashable, Sendable {
    /// The text, on a single line.
    package let text: String
    /// Indicates whether it was written between quotation marks: its last word is then complete.
    package let isPhrase: Bool

    package init(_ text: String, isPhrase: Bool = false) {
      self.text = text
      self.isPhrase = isPhrase
    }
  }

  /// Something that a message can have besides its text.
  package enum Attachment: String, CaseIterable, Hashable, Sendable {
    case link, file, image, reaction, location
  }

  /// The highest number of scalars that are read; what follows is ignored.
  package static let longest = 500
  /// The highest number of terms, excluded ones included.
  package static let mostTerms = 32

  /// The text as it was typed, without blanks around it.
  package let text: String
  /// A match has all of these.
  package private(set) var terms: [Term] = []
  /// A match has none of these.
  package private(set) var excluded: [Term] = []
  /// Parts of the names or addresses of its sender; a match has one of these.
  package private(set) var senders: [String] = []
  /// Indicates whether the user is one of the senders.
  package private(set) var includesUser = false
  /// Parts of the names or addresses of its conversation; a match has one of these.
  package private(set) var conversations: [String] = []
  /// The earliest time of a match.
  package private(set) var start: Date?
  /// The time before which matches were sent.
  package private(set) var end: Date?
  /// A match has all of these.
  package private(set) var attachments: Set<Attachment> = []
  /// Indicates whether only unread messages match.
  package private(set) var isUnread = false
  /// The filters whose values are not valid, as they were typed; the others apply.
  package private(set) var problems: [String] = []

  /// - Parameter vocabulary: the names of filters and of their values.
  package init(_ text: String, vocabulary: SearchVocabulary = SearchVocabulary()) {
    let scalars = text.unicodeScalars.prefix(Self.longest).map { Self.isBlank($0) ? " " : $0 }
    self.text = Self.string(scalars[...])
    var scanner = SearchScanner(scalars)
    while terms.count + excluded.count < Self.mostTerms, let part = scanner.next() {
      take(part, vocabulary)
    }
  }

  /// Indicates whether it has neither a term nor a filter.
  package var isEmpty: Bool { terms.isEmpty && excluded.isEmpty && !hasFilters }

  /// Indicates whether it has a valid filter.
  package var hasFilters: Bool {
    includesUser || isUnread || start != nil || end != nil || !senders.isEmpty
      || !conversations.isEmpty || !attachments.isEmpty
  }

  // MARK: Reading

  private mutating func take(_ part: SearchScanner.Part, _ vocabulary: SearchVocabulary) {
    if !part.isPhrase, let (filter, value) = vocabulary.filter(in: part.text) {
      guard part.isExcluded || !apply(filter, value, vocabulary) else { return }
      return problems.append(part.text)
    }
    let term = Term(part.text, isPhrase: part.isPhrase)
    if part.isExcluded { excluded.append(term) } else { terms.append(term) }
  }

  /// Adds a filter; one without a value has no effect, because the value is being typed.
  /// - Returns: `false` if the value is not valid.
  private mutating func apply(
    _ filter: SearchVocabulary.Filter, _ value: String, _ vocabulary: SearchVocabulary
  ) -> Bool {
    guard !value.isEmpty else { return true }
    let name = value.lowercased()
    switch filter {
    case .from:
      if vocabulary.user.contains(name) { includesUser = true } else { senders.append(value) }
    case .in: conversations.append(value)
    case .before, .after, .on:
      guard let range = vocabulary.range(name) else { return false }
      if filter != .before {
        let bound = filter == .on ? range.lowerBound : range.upperBound
        start = max(start ?? bound, bound)
      }
      if filter != .after {
        let bound = filter == .on ? range.upperBound : range.lowerBound
        end = min(end ?? bound, bound)
      }
    case .has:
      guard let attachment = vocabulary.attachments[name] else { return false }
      attachments.insert(attachment)
    case .is:
      guard vocabulary.unread.contains(name) else { return false }
      isUnread = true
    }
    return true
  }

  /// Indicates whether a scalar separates terms: blanks, and characters that are not shown, such as
  /// NUL, at which an index would stop reading.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
  }

  /// Returns the text of scalars without blanks around it.
  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    guard let first = scalars.firstIndex(where: { $0 != " " }),
      let last = scalars.lastIndex(where: { $0 != " " })
    else { return "" }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[first...last])
    return String(view)
  }
}

/// The parts of a typed search, one after the other. By scalars: a mark after a quotation mark
/// would make another character of it.
struct SearchScanner {
  struct Part {
    let text: String
    let isPhrase: Bool
    let isExcluded: Bool
  }

  private static let quotes: Set<Unicode.Scalar> = ["\"", "\u{201C}", "\u{201D}"]

  private let scalars: [Unicode.Scalar]
  private var index = 0

  /// - Parameter scalars: with blanks only as separators.
  init(_ scalars: [Unicode.Scalar]) { self.scalars = scalars }

  /// Returns the next part that has a text.
  mutating func next() -> Part? {
    while index < scalars.count {
      guard scalars[index] != " " else {
        index += 1
        continue
      }
      let isExcluded =
        scalars[index] == "-" && index + 1 < scalars.count && scalars[index + 1] != " "
        && scalars[index + 1] != "-"
      if isExcluded { index += 1 }
      let isPhrase = Self.quotes.contains(scalars[index])
      let text = isPhrase ? phrase() : word()
      if !text.isEmpty { return Part(text: text, isPhrase: isPhrase, isExcluded: isExcluded) }
    }
    return nil
  }

  /// Reads up to the next quotation mark, or the end where there is none.
  private mutating func phrase() -> String {
    index += 1
    var text = String.UnicodeScalarView()
    while index < scalars.count, !Self.quotes.contains(scalars[index]) {
      if scalars[index] != " " || !text.isEmpty && text.last != " " { text.append(scalars[index]) }
      index += 1
    }
    index += 1
    if text.last == " " { text.removeLast() }
    return String(text)
  }

  /// Reads up to the next blank, with a quoted value after a colon.
  private mutating func word() -> String {
    var text = String.UnicodeScalarView()
    while index < scalars.count, scalars[index] != " " {
      text.append(scalars[index])
      index += 1
      if SearchVocabulary.colons.contains(scalars[index - 1]), index < scalars.count,
        Self.quotes.contains(scalars[index])
      {
        text.append(contentsOf: phrase().unicodeScalars)
        break
      }
    }
    return String(text)
  }
}

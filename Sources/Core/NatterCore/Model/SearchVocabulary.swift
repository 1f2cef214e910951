import FoundationEssentials

/// The names of search filters and of their values: the English ones, and those of the user's
/// language.
package struct SearchVocabulary {
  /// A filter, by its name in English.
  package enum Filter: String, CaseIterable, Sendable {
    case from, `in`, before, after, on, has, `is`
  }

  static let colons: Set<Unicode.Scalar> = [":", "\u{FF1A}"]

  private var filters: [String: Filter]
  private(set) var attachments: [String: SearchQuery.Attachment]
  private(set) var user: Set<String> = ["me"]
  private(set) var unread: Set<String> = ["unread"]
  /// Returns the time that a day, a month or a name such as `yesterday` means; `nil` for all other
  /// texts.
  let range: (String) -> Range<Date>?

  /// Creates the English vocabulary.
  /// - Parameter range: returns the time that a date in lower case means.
  package init(range: @escaping (String) -> Range<Date>? = { _ in nil }) {
    filters = Dictionary(uniqueKeysWithValues: Filter.allCases.map { ($0.rawValue, $0) })
    attachments = Dictionary(
      uniqueKeysWithValues: SearchQuery.Attachment.allCases.map { ($0.rawValue, $0) })
    self.range = range
  }

  /// Adds names in another language, in lower case.
  package mutating func add(_ names: [String], for filter: Filter) {
    for name in names { filters[name] = filter }
  }

  /// Adds names of an attachment in another language, in lower case.
  package mutating func add(_ names: [String], for attachment: SearchQuery.Attachment) {
    for name in names { attachments[name] = attachment }
  }

  /// Adds names of the user, and of unread messages, in another language, in lower case.
  package mutating func add(user: [String], unread: [String]) {
    self.user.formUnion(user)
    self.unread.formUnion(unread)
  }

  /// Returns the filter and the value of a text such as `from:alice`; `nil` for texts that only
  /// have a colon, such as `10:30` or an address of the Web.
  func filter(in text: String) -> (Filter, String)? {
    let scalars = text.unicodeScalars
    guard let colon = scalars.firstIndex(where: Self.colons.contains),
      let filter = filters[String(scalars[..<colon]).lowercased()]
    else { return nil }
    return (filter, String(scalars[scalars.index(after: colon)...]))
  }
}

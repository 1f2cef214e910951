import NatterCore
import Text

/// Validates profile text, and converts it into the values of a card.
nonisolated package enum ProfileText {
  /// - Returns: the text for the card; an empty one removes the field.
  package static func checked(_ text: String, for field: PersonCard.Field)
    -> Result<String, NatterError>
  {
    let text = text.trimmed
    if text.isEmpty { return .success("") }
    guard text.count <= field.limit else {
      return .failure(
        NatterError(.invalidInput, "profile.tooLong", ["most": String(field.limit)]))
    }
    let good: String? =
      switch field {
      case .birthday: birthday(text)
      case .email: email(text)
      case .phone: phone(text)
      case .web: web(text)
      default: text
      }
    if let good { return .success(good) }
    return .failure(NatterError(.invalidInput, "profile.field.\(field.rawValue)-wrong"))
  }

  /// Returns a date, with or without a year: `1990-05-04`, `--05-04` (ISO 8601, as in vCards).
  private static func birthday(_ text: String) -> String? {
    var rest = text[...]
    var year: Int?
    if rest.hasPrefix("--") {
      rest = rest.dropFirst(2)
    } else {
      guard rest.count > 5, let number = number(rest.prefix(4), 1...9999),
        rest.dropFirst(4).first == "-"
      else { return nil }
      year = number
      rest = rest.dropFirst(5)
    }
    let parts = rest.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let month = number(parts[0], 1...12) else { return nil }
    let lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var length = lengths[month - 1]
    if month == 2, let year, !(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) {
      length = 28
    }
    guard let day = number(parts[1], 1...length) else { return nil }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let start = year.map { String(repeating: "0", count: 4 - "\($0)".count) + "\($0)-" } ?? "--"
    return start + two(month) + "-" + two(day)
  }

  private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
    guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text),
      range.contains(number)
    else { return nil }
    return number
  }

  private static func email(_ text: String) -> String? {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), parts[1].contains("."),
      !text.contains(where: \.isWhitespace)
    else { return nil }
    return text
  }

  /// Returns the number with the separators that are valid in a `tel:` address (RFC 3966 §3).
  private static func phone(_ text: String) -> String? {
    let joined = text.split(whereSeparator: { $0.isWhitespace || $0 == "/" }).joined(separator: "-")
    let digits = joined.count { $0.isASCII && $0.isNumber }
    guard (2...20).contains(digits),
      joined.allSatisfy({ $0.isASCII && ($0.isNumber || "+-.()".contains($0)) }),
      joined.lastIndex(of: "+").map({ $0 == joined.startIndex }) ?? true
    else { return nil }
    return joined
  }

  private static func web(_ text: String) -> String? {
    let lowered = text.lowercased()
    let whole = lowered.contains("://") ? text : "https://" + text
    guard ["https://", "http://"].contains(where: { whole.lowercased().hasPrefix($0) }),
      !whole.contains(where: \.isWhitespace),
      let host = whole.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first,
      host.contains(".")
    else { return nil }
    return whole
  }
}

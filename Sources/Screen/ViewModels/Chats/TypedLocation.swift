import NatterCore
import Text
import XMPP

/// Reads locations that the user typed or pasted: degrees, also with minutes and seconds, `geo:`
/// URIs and the links of maps.
nonisolated enum TypedLocation {
  /// Returns the location at the beginning of a text; the rest is its description.
  /// - Throws: `NatterError` that says what is wrong.
  static func read(_ typed: String) throws -> SharedLocation {
    let text = typed.trimmed
    let (first, rest) = CommandCall(rest: text).split
    if GeoURI.hasScheme(first) {
      guard let point = GeoURI(first) else {
        let isOther = first.lowercased().contains("crs=")
        throw NatterError(
          .invalidInput, isOther ? "error.location.system" : "error.location.uri",
          ["text": first])
      }
      return SharedLocation(point, text: rest)
    }
    let lower = first.prefix(8).lowercased()
    if lower.hasPrefix("http://") || lower.hasPrefix("https://") {
      guard let point = MapLink.point(in: first) else {
        throw NatterError(.invalidInput, "error.location.link", ["text": first])
      }
      return SharedLocation(point, text: rest)
    }
    var scanner = CoordinateScanner(text)
    let (point, description) = try scanner.point()
    return SharedLocation(point, text: description)
  }

  /// Returns the point that `location.command` printed: latitude, longitude and, if known, the
  /// accuracy in metres, in its first line.
  /// - Throws: `NatterError` if it is something else.
  static func point(printed output: String) throws -> GeoURI {
    let line = output.split(whereSeparator: \.isNewline).first ?? ""
    let numbers = line.split(whereSeparator: \.isWhitespace).map { GeoURI.number($0) }
    guard (2...3).contains(numbers.count), let latitude = numbers[0], let longitude = numbers[1],
      numbers.count == 2 || numbers[2] != nil,
      let point = GeoURI(
        latitude: latitude, longitude: longitude, accuracy: numbers.count > 2 ? numbers[2] : nil)
    else {
      throw NatterError(
        .invalidInput, "error.location.printed", ["text": String(line.prefix(60))])
    }
    return point
  }
}

/// Reads the coordinates in links to maps.
nonisolated enum MapLink {
  private static let lengthLimit = 4096
  /// The texts before a pair of coordinates, the most specific first.
  private static let pairs =
    ["q", "query", "ll", "center", "destination"].flatMap { ["?\($0)=", "&\($0)="] } + ["/@"]

  /// Returns `nil` if the link has no coordinates that are known to be such.
  static func point(in link: String) -> GeoURI? {
    guard link.utf8.count <= lengthLimit else { return nil }
    let text = link.replacing("%2C", with: ",").replacing("%2c", with: ",")
    for (first, second) in [("mlat=", "mlon="), ("!3d", "!4d")] {
      if let latitude = number(after: first, in: text),
        let longitude = number(after: second, in: text)
      {
        return GeoURI(latitude: latitude, longitude: longitude)
      }
    }
    for key in pairs {
      guard let range = text.firstRange(of: key),
        let point = pair(in: text[range.upperBound...], separator: ",")
      else { continue }
      return point
    }
    guard let map = text.firstRange(of: "#map="),
      let slash = text[map.upperBound...].firstIndex(of: "/")
    else { return nil }
    return pair(in: text[text.index(after: slash)...], separator: "/")
  }

  private static func pair(in text: Substring, separator: Character) -> GeoURI? {
    let first = text.prefix(while: isOfNumber)
    let rest = text[first.endIndex...]
    guard rest.first == separator, let latitude = GeoURI.number(first),
      let longitude = GeoURI.number(rest.dropFirst().prefix(while: isOfNumber))
    else { return nil }
    return GeoURI(latitude: latitude, longitude: longitude)
  }

  private static func number(after key: String, in text: String) -> Double? {
    text.firstRange(of: key).flatMap {
      GeoURI.number(text[$0.upperBound...].prefix(while: isOfNumber))
    }
  }

  private static func isOfNumber(_ character: Character) -> Bool {
    "-.0123456789".contains(character)
  }
}

/// Reads two coordinates, with a comma or a blank between them: `48.8566,2.3522`,
/// `48°51'24"N 2°21'8"E`.
nonisolated private struct CoordinateScanner {
  private var rest: Substring
  private let whole: String

  private static let degreeMarks: Set<Character> = ["°", "º", "d", "D"]
  private static let minuteMarks: Set<Character> = ["'", "′", "’", "m"]
  private static let secondMarks: Set<Character> = ["\"", "″", "”", "s"]

  init(_ text: String) { (whole, rest) = (text, text[...]) }

  mutating func point() throws -> (GeoURI, description: String) {
    let latitude = try coordinate("N", "S", letterAfterBlank: true)
    let blanks = skipBlanks()
    let hasComma = rest.first == ","
    guard blanks > 0 || hasComma || latitude.hasLetter else { throw malformed }
    if hasComma { rest.removeFirst() }
    skipBlanks()
    let longitude = try coordinate("E", "W", letterAfterBlank: latitude.hasLetter)
    guard rest.first?.isWhitespace ?? true, latitude.hasLetter == longitude.hasLetter,
      !hasDecimalComma
    else { throw malformed }
    guard abs(latitude.degrees) <= 90 else {
      throw NatterError(.invalidInput, "error.location.latitude", ["text": whole])
    }
    guard abs(longitude.degrees) <= 180,
      let point = GeoURI(latitude: latitude.degrees, longitude: longitude.degrees)
    else { throw NatterError(.invalidInput, "error.location.longitude", ["text": whole]) }
    return (point, String(rest))
  }

  /// Indicates whether the rest begins like the second half of `48,85 2,35`.
  private var hasDecimalComma: Bool {
    let next = rest.drop(while: \.isWhitespace)
    let behind = next.drop { $0.isASCII && $0.isNumber || $0 == "-" }
    return behind.startIndex > next.startIndex && behind.first == ","
      && behind.dropFirst().first?.isNumber == true
  }

  private var malformed: NatterError {
    NatterError(.invalidInput, "error.location.form", ["text": whole])
  }

  /// Reads degrees, and minutes and seconds where there are any, and the letter of the direction.
  /// - Parameter letterAfterBlank: whether a blank may be before that letter.
  private mutating func coordinate(
    _ positive: Character, _ negative: Character, letterAfterBlank: Bool
  ) throws -> (degrees: Double, hasLetter: Bool) {
    let isNegative = rest.first == "-"
    let isSigned = isNegative || rest.first == "+"
    if isSigned { rest.removeFirst() }
    var degrees = try number()
    if skip(Self.degreeMarks) {
      if let minutes = try part(Self.minuteMarks) {
        degrees += minutes / 60
        if let seconds = try part(Self.secondMarks) { degrees += seconds / 3600 }
      }
    }
    guard let letter = direction([positive, negative], letterAfterBlank: letterAfterBlank) else {
      return (isNegative ? -degrees : degrees, false)
    }
    guard !isSigned else { throw malformed }
    return (letter == negative ? -degrees : degrees, true)
  }

  /// Reads a number below 60 with its mark; `nil` if there is none.
  private mutating func part(_ marks: Set<Character>) throws -> Double? {
    let before = rest
    skipBlanks()
    guard rest.first?.isASCII == true, rest.first?.isNumber == true else {
      rest = before
      return nil
    }
    let value = try number()
    guard skip(marks) else {
      // It is the next coordinate.
      rest = before
      return nil
    }
    guard value < 60 else { throw malformed }
    return value
  }

  private mutating func number() throws -> Double {
    let digits = rest.prefix { $0 == "." || $0.isASCII && $0.isNumber }
    guard let value = GeoURI.number(digits) else { throw malformed }
    rest = rest[digits.endIndex...]
    return value
  }

  private mutating func direction(_ letters: [Character], letterAfterBlank: Bool) -> Character? {
    let before = rest
    if letterAfterBlank { skipBlanks() }
    let next = rest.dropFirst().first
    guard let letter = rest.first?.uppercased().first, letters.contains(letter),
      next.map({ !$0.isLetter }) ?? true
    else {
      rest = before
      return nil
    }
    rest.removeFirst()
    return letter
  }

  private mutating func skip(_ marks: Set<Character>) -> Bool {
    guard let first = rest.first, marks.contains(first) else { return false }
    rest.removeFirst()
    return true
  }

  @discardableResult private mutating func skipBlanks() -> Int {
    let blanks = rest.prefix(while: \.isWhitespace)
    rest = rest[blanks.endIndex...]
    return blanks.count
  }
}

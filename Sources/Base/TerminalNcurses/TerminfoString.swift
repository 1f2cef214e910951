import CNcurses

/// The strings of the terminal's terminfo entry.
enum TerminfoString {
  /// Returns a string of terminfo; `nil` if the terminal does not have it.
  static func named(_ name: String) -> String? {
    // Padding ($<5>) is for terminals of the seventies; as bytes it would be shown.
    natter_capability(name).map { withoutPadding(String(cString: $0)) }
  }

  /// Without a regular expression, which would take a millisecond of each start.
  private static func withoutPadding(_ capability: String) -> String {
    var result = ""
    var rest = capability[...]
    while let dollar = rest.firstIndex(of: "$") {
      let digits = rest[dollar...].dropFirst(2)
      let isPadding = rest[dollar...].hasPrefix("$<")
      if isPadding, let end = digits.firstIndex(of: ">"), end > digits.startIndex,
        digits[..<end].allSatisfy({ $0.isASCII && $0.isNumber || ".*/".contains($0) })
      {
        result += String(rest[..<dollar])
        rest = rest[end...].dropFirst()
      } else {
        result += String(rest[...dollar])
        rest = rest[dollar...].dropFirst()
      }
    }
    return result + String(rest)
  }
}

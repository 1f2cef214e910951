import CNcurses

// Giving the terminal back when the program dies.
extension NcursesScreen {
  /// The bytes that undo everything, for a crash: modes, cursor, colours, alternate screen.
  package var resetSequence: String {
    set_term(screen)
    var bytes = (modes.showsFramesWhole ? TerminalModes.frameEnds : "") + modes.off
    // One by one: to join an array, the runtime looks through all conformances.
    for name in ["rmkx", "sgr0", "cnorm", "rmcup"] { bytes += Self.capability(name) ?? "" }
    return bytes + emptyRest
  }

  /// Where nothing brings back what was there before, what is sent so that the shell does not go on in a row of the screen: the
  /// row of the cursor and those below it are made empty.
  var emptyRest: String {
    guard Self.capability("rmcup") == nil, let clear = Self.capability("ed") else { return "" }
    return "\r" + clear
  }

  /// One of terminfo's strings; `nil` where the terminal does not have it.
  private static func capability(_ name: String) -> String? {
    // Padding ($<5>) is for terminals of the seventies; as bytes it would be shown.
    natter_capability(name).map { withoutPadding(String(cString: $0)) }
  }

  /// By hand, because a regular expression would cost a millisecond of each start.
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

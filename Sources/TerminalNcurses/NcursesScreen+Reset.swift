import CNcurses

// Giving the terminal back when the program dies.
extension NcursesScreen {
  /// The bytes that undo everything, for a crash: modes, cursor, colours, alternate screen.
  package var resetSequence: String {
    set_term(screen)
    var bytes = (modes.showsFramesWhole ? TerminalModes.frameEnds : "") + modes.off
    // One by one: to join an array, the runtime looks through all conformances.
    for name in ["rmkx", "sgr0", "cnorm", "rmcup"] {
      guard let capability = natter_capability(name) else { continue }
      // Padding ($<5>) is for terminals of the seventies; as bytes it would be shown.
      bytes += Self.withoutPadding(String(cString: capability))
    }
    return bytes
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

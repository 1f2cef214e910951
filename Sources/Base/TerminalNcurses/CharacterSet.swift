import CNcurses
import Glibc

/// The locale by which ncurses counts columns and writes characters.
package nonisolated enum CharacterSet {
  /// Adopts the user's locale, and UTF-8 in any case (interface.md, "Terminals").
  ///
  /// ssh often sends a locale that the remote machine does not have, and LANG=C is no reason not to
  /// display Chinese: the terminal itself is queried (`NcursesScreen.askForUTF8`). Numbers stay as
  /// in C: libc neither parses nor prints any for the user.
  /// - Returns: `false` if this machine has no UTF-8 locale at all.
  @discardableResult
  package static func adopt() -> Bool {
    setlocale(LC_ALL, "")
    setlocale(LC_NUMERIC, "C")
    if isUTF8 { return true }
    for name in ["C.UTF-8", "C.utf8", "en_US.UTF-8"] where setlocale(LC_CTYPE, name) != nil {
      if isUTF8 { return true }
    }
    return false
  }

  /// Returns the locale of characters in the environment.
  package static func name(in environment: [String: String]) -> String {
    ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
  }

  /// Returns whether the environment's locale is in UTF-8.
  package static func isUTF8(in environment: [String: String]) -> Bool {
    name(in: environment).lowercased().replacing("-", with: "").contains("utf8")
  }

  /// Returns the columns by this machine's C library, as ncurses counts them; -1 for unknown
  /// characters.
  static func columns(of scalar: Unicode.Scalar) -> Int {
    Int(natter_width(wchar_t(bitPattern: scalar.value)))
  }

  /// Returns `text` in ASCII: characters without an equivalent become question marks, as many as
  /// their columns if those are known.
  package static func inASCII(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      if scalar.isASCII {
        result.unicodeScalars.append(scalar)
      } else if let replacement = substitute(for: scalar) {
        result.unicodeScalars.append(replacement)
      } else {
        let columns = columns(of: scalar)
        result += String(repeating: "?", count: columns < 0 ? 1 : columns)
      }
    }
  }

  private static var isUTF8: Bool {
    guard let name = nl_langinfo(nl_item(CODESET)) else { return false }
    return String(cString: name).uppercased().filter { $0 != "-" } == "UTF8"
  }
}

import CNcurses
import Glibc

/// The locale that ncurses measures and writes characters by.
package nonisolated enum CharacterSet {
  /// Takes over the user's locale, and UTF-8 in any case (interface.md, "Terminals").
  ///
  /// ssh often sends a locale that the other machine does not have, and LANG=C is no reason not to show
  /// Chinese: the terminal is asked (`NcursesScreen.askForUTF8`). Numbers stay as in C: nothing here reads or prints them for people through libc.
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

  /// The locale that the environment gives characters.
  package static func name(in environment: [String: String]) -> String {
    ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
  }

  /// Whether the environment says that the terminal is in UTF-8.
  package static func isUTF8(in environment: [String: String]) -> Bool {
    name(in: environment).lowercased().replacing("-", with: "").contains("utf8")
  }

  /// Columns by this machine's C library, which is what ncurses counts with; -1 for unknown characters.
  static func columns(of scalar: Unicode.Scalar) -> Int {
    Int(natter_width(wchar_t(bitPattern: scalar.value)))
  }

  /// `text` with question marks for what is not ASCII and has no sign there that is read as the same, as many as its columns
  /// where those are known.
  package static func inASCII(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      if scalar.isASCII {
        result.unicodeScalars.append(scalar)
      } else if let sign = standIn(for: scalar) {
        result.unicodeScalars.append(sign)
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

import CNcurses
import Glibc
import Terminal

// The requirements of a screen, checked before there is one.
extension NcursesScreen {
  static func allowsColors(_ environment: [String: String]) -> Bool {
    (environment["NO_COLOR"] ?? "").isEmpty
  }

  /// - Returns: the description that ncurses is to use instead of the terminal's own, if any.
  static func check(
    terminal name: String, output: CInt, environment: [String: String]
  ) throws(ScreenError) -> String? {
    guard !name.isEmpty else { throw .unknownTerminal(name: name) }
    var status: CInt = 0
    // Otherwise the current screen, if there is one, would get this terminal.
    set_term(nil)
    guard setupterm(name, output, &status) == OK else {
      // 1: a printer; 0: not found, or "generic", which says nothing about itself; -1: no database.
      switch status {
      case 1: throw .noCursorAddressing(name: name)
      case 0: throw name == "dumb" ? .noCursorAddressing(name: name) : .unknownTerminal(name: name)
      default: throw .noTerminalDatabase
      }
    }
    defer { del_curterm(natter_current_terminal()) }
    guard natter_capability("cup") != nil else { throw .noCursorAddressing(name: name) }
    guard allowsColors(environment), DirectDescription.isWanted(environment: environment) else {
      return nil
    }
    return DirectDescription.ofCurrentTerminal(named: name)
  }

  static func streams(
    input: CInt, output: CInt
  ) -> (output: UnsafeMutablePointer<FILE>, input: UnsafeMutablePointer<FILE>)? {
    // Copies, so that closing the streams leaves the caller's descriptors alone.
    guard let outputStream = fdopen(dup(output), "w") else { return nil }
    guard let inputStream = fdopen(dup(input), "r") else {
      fclose(outputStream)
      return nil
    }
    return (outputStream, inputStream)
  }
}

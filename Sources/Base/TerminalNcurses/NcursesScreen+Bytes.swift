import CNcurses
import Glibc

// Output that bypasses ncurses.
extension NcursesScreen {
  /// Sends bytes that ncurses knows nothing of; it has always sent its own before.
  func send(_ text: String) {
    var text = isASCIIOnly ? CharacterSet.inASCII(text) : text
    guard gathered == nil else {
      gathered? += text.utf8
      return
    }
    // Whatever it is, it may change more than the next frame knows.
    known = FrameShortener.Known()
    text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  /// Has ncurses send what the terminal does not show yet.
  func update() {
    let isKept = gathered != nil && collector.begin()
    if !isKept {
      sendGathered()
      known = FrameShortener.Known()
    }
    showCursor()
    wnoutrefresh(window)
    doupdate()
    if isKept { gathered? += collector.end() }
  }

  /// Sends what was gathered of a frame; from then on everything goes to the terminal at once.
  /// - Returns: how many bytes that was.
  @discardableResult func sendGathered() -> Int {
    guard let bytes = gathered else { return 0 }
    gathered = nil
    let shortened = FrameShortener.shorten(
      bytes, repeatsBlanks: repeatsBlanks, knowing: &known)
    shortened.withUnsafeBytes { write($0) }
    return shortened.count
  }

  /// Returns whether the terminal repeats a character (REP) and clears without a background colour.
  /// ncurses then writes hundreds of blanks, as it repeats nothing in UTF-8.
  static func terminalRepeatsBlanks(environment: [String: String]) -> Bool {
    let form = "%p1%c\u{1B}[%p2%{1}%-%db"
    return !natter_flag("bce")
      && (natter_capability("rep").map { String(cString: $0) } == form
        || isTmux(environment: environment))
  }

  /// Returns whether the terminal is tmux itself, which repeats characters since 2.6 (2017), though
  /// no description says so. It has descriptions of its own, but uses GNU screen's by default; it
  /// reports itself since 3.2. GNU screen in tmux, which repeats nothing, passes the report on.
  nonisolated static func isTmux(environment: [String: String]) -> Bool {
    let name = environment["TERM"] ?? ""
    return name.hasPrefix("tmux")
      || name.hasPrefix("screen") && environment["TERM_PROGRAM"] == "tmux"
        && environment["STY"]?.isEmpty != false
  }

  private func write(_ bytes: UnsafeRawBufferPointer) { WholeWrite.write(bytes, to: output) }
}

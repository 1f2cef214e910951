import CNcurses
import Glibc

// What ncurses has no part in.
extension NcursesScreen {
  /// Sends bytes that ncurses knows nothing of; it has always sent its own before.
  func send(_ text: String) {
    guard gathered == nil else {
      gathered? += text.utf8
      return
    }
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  /// Has ncurses send what the terminal does not show yet.
  func update() {
    let isKept = gathered != nil && collector.begin()
    if !isKept { sendGathered() }
    showCursor()
    wnoutrefresh(window)
    doupdate()
    if isKept { gathered? += collector.end() }
  }

  /// Sends what was gathered of a frame; from then on everything goes to the terminal at once.
  func sendGathered() {
    guard let bytes = gathered else { return }
    gathered = nil
    FrameShortener.shorten(bytes, repeatsBlanks: repeatsBlanks).withUnsafeBytes { write($0) }
  }

  /// Whether the terminal repeats a character and keeps no background where it clears: ncurses then writes blanks out, hundreds
  /// of them, as it repeats nothing in UTF-8.
  static func terminalRepeatsBlanks() -> Bool {
    let form = "%p1%c\u{1B}[%p2%{1}%-%db"
    return !natter_flag("bce") && natter_capability("rep").map { String(cString: $0) } == form
  }

  private func write(_ bytes: UnsafeRawBufferPointer) { WholeWrite.write(bytes, to: output) }
}

/// Where finished cells go: ncurses in the program, memory in tests.
@MainActor package protocol Screen: AnyObject {
  var size: Size { get }
  /// Puts `surface` at the given place of the next frame.
  func copy(_ surface: Surface, row: Int, column: Int)
  /// Makes all of the next frame blank.
  func clear()
  /// Shows the frame, with the hardware cursor at `cursor`, or hidden when that is `nil`.
  func flush(cursor: Point?)
  /// Rings the terminal's bell.
  func bell()
  /// Sets the terminal's title, where it has one; `text` is made safe first.
  func setTitle(_ text: String)
}

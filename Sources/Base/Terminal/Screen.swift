/// The destination of drawn cells: ncurses in the program, memory in tests.
@MainActor package protocol Screen: AnyObject {
  var size: Size { get }
  /// Copies `surface` to the given position of the next frame.
  func copy(_ surface: Surface, row: Int, column: Int)
  /// Makes the whole next frame blank.
  func clear()
  /// Shows the frame, with the hardware cursor at `cursor`, or hidden if that is `nil`.
  func flush(cursor: Point?)
  /// Rings the terminal's bell.
  func bell()
  /// Sets the terminal's title, if it has one; `text` is made safe first.
  func setTitle(_ text: String)
}

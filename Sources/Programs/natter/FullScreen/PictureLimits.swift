import Terminal

/// The limits of pictures on the terminal.
enum PictureLimits {
  /// The most bytes that are sent to a remote terminal for one picture.
  static let remoteBytes = 400_000
  /// The most bytes that are sent to a local terminal for one picture. Sixels are several times the
  /// size of the picture's file.
  static let localBytes = 6_000_000
  /// The cell of a VT340 in pixels, for terminals that do not report their cell's size.
  static let defaultCell = Size(rows: 20, columns: 10)
}

import Terminal

/// The limits of pictures on the terminal.
enum PictureLimits {
  /// The most bytes that a remote terminal is sent for one picture.
  static let remoteBytes = 400_000
  /// The most bytes that a local terminal is sent for one picture. Sixels are several times the size of the picture's file.
  static let localBytes = 6_000_000
  /// The cell of a VT340 in pixels, for terminals that do not report their cell's size.
  static let defaultCell = Size(rows: 20, columns: 10)
}

import Terminal

// Pictures that the terminal draws by itself, above the cells.
extension NcursesScreen {
  /// How the terminal is to draw pictures; `nil`: not at all. It holds from the next flush on.
  package var pictureProtocol: PictureProtocol? {
    get { pictures?.form }
    set {
      guard newValue != pictures?.form else { return }
      takePicturesAway()
      pictures = newValue.map { PictureOutput($0) }
    }
  }

  /// Has the terminal show none any more.
  func takePicturesAway() {
    guard let bytes = pictures?.end(), state == .active else { return }
    send(bytes)
    if pictures?.form == .iterm2 { drawn = nil }
  }
}

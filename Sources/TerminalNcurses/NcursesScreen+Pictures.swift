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

  /// Asks whether the terminal draws pictures by the kitty graphics protocol; the answer, if there is one, comes as a
  /// `TerminalReport`.
  package func askForPictures() {
    guard state == .active, modes.isXtermKind, !isInTmux else { return }
    // One red, green and blue pixel that is not kept.
    send("\u{1B}_Gi=\(TerminalReport.pictureQuestion),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\")
  }

  /// Has the terminal show none any more.
  func takePicturesAway() {
    guard let bytes = pictures?.end(), state == .active else { return }
    send(bytes)
    if pictures?.form == .iterm2 { drawn = nil }
  }
}

import Configuration
import NatterCore
import Panes
import Terminal
import TerminalNcurses
import ViewModels

// What pictures are drawn with, as the settings, the terminal and the machine have it.
extension FullScreen {
  /// Terminals far away are sent no more than this for one picture, in bytes.
  private static let farLimit = 400_000

  /// What draws the pictures of this run.
  static func pictureBoard(depth: ColorDepth, environment: [String: String]) -> PictureBoard {
    let reader = DiskReader()
    return PictureBoard(
      makeSigns: { picture, size, signs in
        await SignMaker(depth: depth, environment: environment)?.cells(of: picture, size, signs)
      },
      read: { await reader.bytes(of: $0) })
  }

  /// Has the terminal tell whether it draws pictures, where that is of use and nothing else tells it.
  func askForPictures() {
    let ui = settings.current.ui
    guard ui.pictures == .automatic, !ui.isForScreenReader, !drawsPictures,
      terminal.screen.pictureProtocol == nil,
      !["screen", "tmux"].contains(where: { terminal.screen.terminalName.hasPrefix($0) })
    else { return }
    terminal.screen.askForPictures()
  }

  /// Takes the way of drawing pictures that the settings ask for, and draws everything in it.
  func showPictures() {
    followPictures()
    coordinator?.display.drawAll()
  }

  /// Takes the way of drawing pictures that the settings ask for.
  func followPictures() {
    let ui = settings.current.ui
    let isOff = ui.pictures == .off || ui.isForScreenReader
    let form: PictureProtocol? =
      switch ui.pictures {
      case _ where isOff: nil
      case .off, .signs: nil
      case .kitty: .kitty
      case .iterm2: .iterm2
      case .automatic:
        PictureProtocol(environment: context.environment) ?? (drawsPictures ? .kitty : nil)
      }
    var means = PictureMeans.none
    // A terminal that only an answer tells of may be on another machine, or outside of a container.
    let isFar =
      drawsPictures
      || ["SSH_CONNECTION", "SSH_TTY"].contains { context.environment[$0] != nil }
    switch form {
    case .kitty:
      means.ownKinds = ["image/png"]
      means.handover = isFar ? .bytes(limit: Self.farLimit) : .path
    case .iterm2:
      means.ownKinds = ["image/png", "image/jpeg", "image/gif", "image/webp"]
      means.handover = .bytes(limit: Self.farLimit)
    case nil: break
    }
    if !isOff, OtherProgram("chafa", [], environment: context.environment) != nil {
      means.signs = glyphs.drawsBlocks ? .blocks : .letters
    }
    terminal.screen.pictureProtocol = form
    pictures.means = means
  }
}

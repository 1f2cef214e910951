import Configuration
import NatterCore
import Panes
import System
import Terminal
import TerminalNcurses
import Text
import ViewModels

/// The answers of the terminal about pictures.
struct PictureAnswers {
  /// By the kitty graphics protocol.
  var byKitty = false
  var bySixels = false
  /// The size of a cell in pixels.
  var cell: Size?
  /// Indicates whether it was asked for that in this size.
  var isAskedForCell = false
}

// What pictures are drawn with, as the settings, the terminal and the machine have it.
extension FullScreen {
  /// Makes the part that draws the pictures of this run.
  static func pictureBoard(depth: ColorDepth, environment: [String: String]) -> PictureBoard {
    let reader = DiskReader()
    return PictureBoard(
      makeSymbols: { picture, size, style in
        await ChafaRenderer(depth: depth, environment: environment)?.cells(of: picture, size, style)
      },
      makeSixels: { picture, size, sixel in
        await ChafaRenderer(depth: depth, environment: environment)?.sixels(
          of: picture, size, sixel)
      },
      read: { await reader.bytes(of: $0) })
  }

  private var hasChafa: Bool { OtherProgram("chafa", [], environment: context.environment) != nil }

  /// Asks the terminal whether it draws sixels, if that is of use and not known otherwise.
  func askForSixels() {
    let ui = settings.current.ui
    guard ui.pictures == .automatic, !ui.isForScreenReader, !pictureAnswers.byKitty,
      terminal.screen.pictureProtocol == nil, hasChafa
    else { return }
    terminal.screen.askForSixels()
  }

  /// The terminal has answered about pictures.
  func picturesReported(_ report: TerminalReport) {
    switch report {
    case .drawsPictures: pictureAnswers.byKitty = true
    case .drawsSixels: pictureAnswers.bySixels = true
    case .cell(let cell): pictureAnswers.cell = cell
    default: return
    }
    showPictures()
  }

  /// The terminal's size has changed, or that of its letters.
  func screenDidResize() {
    if terminal.screen.pictureProtocol == .sixel {
      pictureAnswers.isAskedForCell = false
      followPictures()
    }
    coordinator?.screenDidResize()
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
      case .off, .symbols: nil
      case .kitty: .kitty
      case .iterm2: .iterm2
      case .sixel: .sixel
      case .automatic:
        PictureProtocol(environment: context.environment)
          ?? (pictureAnswers.byKitty ? .kitty : pictureAnswers.bySixels ? .sixel : nil)
      }
    var means = PictureMeans.none
    let isRemote = ["SSH_CONNECTION", "SSH_TTY"].contains { context.environment[$0] != nil }
    if !isOff, hasChafa { means.symbols = glyphs.drawsBlocks ? .blocks : .letters }
    switch form {
    case .kitty:
      means.ownKinds = ["image/png"]
      // A terminal known only by its answer may be on another machine, or outside a container.
      means.handover =
        isRemote || pictureAnswers.byKitty ? .bytes(limit: PictureLimits.remoteBytes) : .path
    case .iterm2:
      means.ownKinds = ["image/png", "image/jpeg", "image/gif", "image/webp"]
      means.handover = .bytes(limit: PictureLimits.remoteBytes)
    case .sixel where means.symbols != .none:
      means.sixel = .init(
        cell: cellForSixels(),
        byteLimit: isRemote ? PictureLimits.remoteBytes : PictureLimits.localBytes)
    case .sixel, nil: break
    }
    terminal.screen.pictureProtocol = form
    pictures.means = means
  }

  /// Returns the size of a cell in pixels: a default while it is unknown and queried.
  private func cellForSixels() -> Size {
    if let cell = terminal.screen.cell { return cell }
    if !pictureAnswers.isAskedForCell {
      pictureAnswers.isAskedForCell = true
      terminal.screen.askForCell()
    }
    return pictureAnswers.cell ?? PictureLimits.defaultCell
  }
}

extension PictureProtocol {
  /// Returns whether to ask the terminal for kitty's graphics protocol before the first frame: if
  /// that is of use and not known otherwise.
  static func isAsked(for ui: Settings.Interface, environment: [String: String]) -> Bool {
    ui.pictures == .automatic && !ui.isForScreenReader
      && PictureProtocol(environment: environment) == nil && mayKnowKitty(environment: environment)
  }
}

import Terminal
import Text
import ViewModels

/// Draws a dialog: alerts, questions and notices (interface.md, "Overlays").
package final class DialogPane: OverlayPane {
  package var invalidation: Invalidation { viewModel.invalidation }
  package private(set) var isDismissed = false
  package let hidesOthers: Bool
  package let yieldsToTyping: Bool
  package var hintLine: HintLine { layout.hintLine }
  // A question needs an answer.
  package var closesOnClickBeside: Bool {
    !hidesOthers && (viewModel.dialog.isList || viewModel.dialog.buttons.count < 2)
  }
  /// Indicates whether it asks a question other than a choice from a list.
  var isQuestion: Bool { viewModel.dialog.level == .question && !viewModel.dialog.isList }
  private let viewModel: DialogViewModel
  private let glyphs: Glyphs
  private let hints: [KeyHint]
  private var layout = DialogLayout()

  /// - Parameters:
  ///   - hidesOthers: whether nothing else is visible, as with problems at startup.
  ///   - comesByItself: whether the user did not ask for it, so that typed text is meant for
  ///   something else.
  ///   - localizer: for the key hints.
  package init(
    viewModel: DialogViewModel, glyphs: Glyphs, localizer: Localizer, hidesOthers: Bool = false,
    comesByItself: Bool = false
  ) {
    yieldsToTyping = comesByItself
    self.viewModel = viewModel
    self.glyphs = glyphs
    self.hidesOthers = hidesOthers
    let press = localizer.hint("dialog.keysPress")
    let close = localizer.wayOut("dialog.keysClose")
    hints =
      viewModel.dialog.buttons.count > 1
      ? [localizer.hint("dialog.keysMove"), press, close] : [press, close]
  }

  package func preferredSize(in size: Size) -> Size {
    DialogLayout.size(of: viewModel.dialog, in: size, hints: hints)
  }

  package func dismiss() {
    viewModel.cancel()
    isDismissed = true
  }

  package func draw(into surface: inout Surface) {
    layout.draw(
      viewModel.dialog,
      in: Rect(row: 0, column: 0, rows: surface.size.rows, columns: surface.size.columns),
      into: &surface, glyphs: glyphs, hints: hints)
    surface.keepCursorInside()
  }

  package func handle(_ key: Key) -> KeyDisposition {
    switch layout.command(for: key, in: viewModel.dialog) {
    case .press:
      viewModel.press()
      isDismissed = true
    case .choose(let id):
      viewModel.press(id)
      isDismissed = true
    case .cancel: dismiss()
    case .move(let step): viewModel.moveFocus(by: step)
    case .scrolled: invalidation.raise()
    case .swallow: break
    case .ignore: return .ignored
    }
    return .handled
  }

  /// Swallows pasted text, which is meant neither for a dialog nor for the pane behind it.
  package func handlePaste(_ text: String) -> KeyDisposition { .handled }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    if mouse.action == .press, let id = layout.button(at: mouse.at, in: viewModel.dialog) {
      viewModel.press(id)
      isDismissed = true
    }
    return .handled
  }
}

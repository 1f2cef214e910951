import Keys
import Terminal

/// A pane above the others: a dialog, the help, an alert, the sign-in form.
///
/// The coordinator shows it (`AppCoordinator.present`), gives it every key, paste and mouse event
/// before anything else, and removes it once `isDismissed` is true. It draws its own border.
package protocol OverlayPane: Pane {
  /// Its preferred size on a screen of `size`; it is centred, and clipped to the screen.
  func preferredSize(in size: Size) -> Size
  /// Indicates whether it is closed; checked after each event that it received and after each frame
  /// that it requested.
  var isDismissed: Bool { get }
  /// Closes it as Esc does: called when it ignored Esc or `^G`. It may refuse by staying
  /// undismissed.
  func dismiss()
  /// Indicates whether nothing else is visible while it is open, as at sign-in without an account.
  var hidesOthers: Bool { get }
  /// Indicates whether it concerns the panes below it, which stay visible to a screen reader, too.
  var showsOthers: Bool { get }
  /// The positions of its key hints: a click on one presses its key.
  var hintLine: HintLine { get }
  /// Indicates whether a click beside it closes it like Esc; not if that loses input or a question.
  var closesOnClickBeside: Bool { get }
  /// Indicates whether it opened by itself, so that typed text is not meant for it: it closes, and
  /// the input gets the text.
  var yieldsToTyping: Bool { get }
  /// Indicates whether keys are only tried out in it: it then also gets those that otherwise work
  /// in every overlay.
  var practisesKeys: Bool { get }
  /// Uses these bindings in its text fields.
  func use(_ bindings: KeyBindingTable)
  /// Its frame on a screen of `size`, in cells from the top left of the screen.
  func frame(in size: Size) -> Rect
}

extension OverlayPane {
  package var hidesOthers: Bool { false }
  package var showsOthers: Bool { false }
  package var practisesKeys: Bool { false }
  package var yieldsToTyping: Bool { false }
  package var hintLine: HintLine { HintLine() }
  package func use(_ bindings: KeyBindingTable) {}
  package var closesOnClickBeside: Bool { !hidesOthers }

  package func frame(in size: Size) -> Rect {
    let wanted = preferredSize(in: size)
    let rows = min(max(1, wanted.rows), size.rows)
    let columns = min(max(1, wanted.columns), size.columns)
    return Rect(
      row: (size.rows - rows) / 2, column: (size.columns - columns) / 2, rows: rows,
      columns: columns)
  }
}

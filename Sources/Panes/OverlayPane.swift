import Terminal

/// A pane above the others: a dialog, the help, an alert, the sign-in form.
///
/// The coordinator puts it on the screen (`AppCoordinator.present`), gives it every key, paste and
/// mouse event before anything else, and takes it away once `isDismissed` is true. It draws its own border.
package protocol OverlayPane: Pane {
  /// The size it wants on a screen of `size`; it is centred, and clipped to the screen.
  func preferredSize(in size: Size) -> Size
  /// Whether it is done with; looked at after each event it was given and after each frame it asked for.
  var isDismissed: Bool { get }
  /// Closes it as Esc does: called when it ignored Esc or `^G`. It may refuse by staying undismissed.
  func dismiss()
  /// Whether nothing else is to be seen while it is open, as with sign-in before there is an account.
  var hidesOthers: Bool { get }
  /// Whether it is about what lies below it, which stays in sight for whoever hears the screen, too.
  var showsOthers: Bool { get }
  /// Where its keys stand: a click on one is the key.
  var hintLine: HintLine { get }
  /// Whether a click beside it closes it as Esc does; not where something typed or a question would be lost by it.
  var closesOnClickBeside: Bool { get }
  /// Whether it came by itself: what is typed is not meant for it. It goes away, and the input has that.
  var yieldsToTyping: Bool { get }
  /// Whether keys are only tried out in it: it is then offered those, too, that hold whatever is open.
  var practisesKeys: Bool { get }
  /// Goes by these keys where text is typed into it.
  func use(_ bindings: KeyBindingTable)
  /// Where it goes on a screen of `size`, in cells from the top left of the screen.
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

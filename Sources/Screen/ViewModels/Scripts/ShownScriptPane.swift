import NatterCore

/// Shows one pane of scripts at a time, because the user has asked for it: a script cannot open one
/// by itself.
final class ShownScriptPane {
  private var shown: ScriptPaneViewModel?

  /// Shows a pane instead of the one before.
  /// - Parameter present: puts it on the screen, and returns what removes it.
  func open(
    _ model: ScriptPaneViewModel, from display: (any ScriptDisplaying)?,
    present: (ScriptPaneViewModel) -> () -> Void
  ) {
    if let shown, shown.script == model.script, shown.pane == model.pane {
      _ = update(from: display)
      return
    }
    shown?.close()
    shown = model
    if let content = display?.pane(model.pane, of: model.script) { model.show(content) }
    let remove = present(model)
    model.onClose = { [weak self, weak model] in
      if self?.shown === model { self?.shown = nil }
      remove()
    }
  }

  /// Shows what the pane has now.
  /// - Returns: the title of the pane, if it was closed because its script has it no longer.
  func update(from display: (any ScriptDisplaying)?) -> String? {
    guard let shown else { return nil }
    if let content = display?.pane(shown.pane, of: shown.script) {
      shown.show(content)
      return nil
    }
    guard shown.isFilled else { return nil }
    let title = shown.title
    shown.close()
    return title
  }
}

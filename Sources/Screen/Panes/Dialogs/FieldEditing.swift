import Keys
import Terminal
import ViewModels

/// Provides the editing keys of the input line in fields of one line.
///
/// The text belongs to the view model; the editor is synchronized with it before each key and read
/// after it.
final class FieldEditing {
  /// The current bindings.
  var bindings = KeyBindingTable.natter
  private var editor = LineEditor()
  /// The field that the editor was last used for: undo must not bring back another field's text.
  private var field: FormField.ID?

  /// Handles an editing key for the focused field.
  /// - Returns: whether it was one.
  func handle(_ key: Key, in form: FormViewModel) -> Bool {
    guard let field = form.focusedField, field.isText else { return false }
    if field.kind == .password, field.id != self.field { editor = LineEditor() }
    guard let edited = handle(key, text: field.text, cursor: field.cursor, of: field.id)
    else { return false }
    form.edit(edited.text, cursor: edited.cursor)
    // A password is not left where it could be pasted into the next field.
    if field.kind == .password { editor = LineEditor() }
    return true
  }

  /// Inserts pasted text into the focused field.
  func paste(_ text: String, into form: FormViewModel) {
    guard let field = form.focusedField, field.isText else { return }
    let edited = paste(text, text: field.text, cursor: field.cursor)
    form.edit(edited.text, cursor: edited.cursor)
  }

  /// The text after `key`; `nil` when it is no editing key.
  /// - Parameter cursor: graphemes before the cursor.
  func handle(_ key: Key, text: String, cursor: Int, of field: FormField.ID = "")
    -> (text: String, cursor: Int)?
  {
    if field != self.field {
      self.field = field
      editor.reset()
    }
    if editor.text != text { editor.setText(text) }
    editor.moveCursorKeepingRun(to: text.prefix(cursor).utf8.count)
    guard editor.take(key, by: bindings) else { return nil }
    return (editor.text, editor.textBeforeCursor.count)
  }

  /// A text with the first line of `pasted` at the cursor: a field has one line.
  func paste(_ pasted: String, text: String, cursor: Int) -> (text: String, cursor: Int) {
    let line = pasted.drop { $0.isNewline }.prefix { !$0.isNewline }
    let cursor = min(max(0, cursor), text.count)
    let head = text.prefix(cursor) + line
    return (String(head + text.dropFirst(cursor)), head.count)
  }
}

extension LineEditor {
  /// Moves the cursor to an offset in bytes, unless it is there: moving ends a run of cuts or
  /// typing.
  fileprivate mutating func moveCursorKeepingRun(to offset: Int) {
    if cursor != offset { moveCursor(to: offset) }
  }
}

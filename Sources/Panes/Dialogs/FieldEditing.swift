import Terminal
import ViewModels

/// Gives a form's fields the editing keys of the input line.
///
/// The text belongs to the view model; an editor is filled from it before each key and read after it.
final class FieldEditing {
  /// Takes an editing key for the focused field.
  /// - Returns: whether it was one.
  func handle(_ key: Key, in form: FormViewModel) -> Bool {
    guard let field = form.focusedField, field.isText,
      let edited = handle(key, text: field.text, cursor: field.cursor)
    else { return false }
    form.edit(edited.text, cursor: edited.cursor)
    return true
  }

  /// Puts pasted text into the focused field.
  func paste(_ text: String, into form: FormViewModel) {
    guard let field = form.focusedField, field.isText else { return }
    let edited = paste(text, text: field.text, cursor: field.cursor)
    form.edit(edited.text, cursor: edited.cursor)
  }

  /// What `key` makes of a text; `nil` when it is no editing key.
  func handle(_ key: Key, text: String, cursor: Int) -> (text: String, cursor: Int)? {
    var characters = Array(text)
    var cursor = min(max(0, cursor), characters.count)
    switch (key.code, key.modifiers) {
    case (.character(let character), []):
      characters.insert(character, at: cursor)
      // A combining mark joins the character before it.
      let head = String(characters[0...cursor])
      return (String(characters), head.count)
    case (.left, []), (.character("b"), .control): cursor = max(0, cursor - 1)
    case (.right, []), (.character("f"), .control): cursor = min(characters.count, cursor + 1)
    case (.home, []), (.character("a"), .control): cursor = 0
    case (.end, []), (.character("e"), .control): cursor = characters.count
    case (.backspace, []), (.character("h"), .control):
      if cursor > 0 {
        cursor -= 1
        characters.remove(at: cursor)
      }
    case (.delete, []), (.character("d"), .control):
      if cursor < characters.count { characters.remove(at: cursor) }
    case (.character("u"), .control):
      characters.removeSubrange(..<cursor)
      cursor = 0
    case (.character("k"), .control): characters.removeSubrange(cursor...)
    default: return nil
    }
    return (String(characters), cursor)
  }

  /// A text with the first line of `pasted` at the cursor: a field has one line.
  func paste(_ pasted: String, text: String, cursor: Int) -> (text: String, cursor: Int) {
    let line = pasted.drop { $0.isNewline }.prefix { !$0.isNewline }
    let cursor = min(max(0, cursor), text.count)
    let head = text.prefix(cursor) + line
    return (String(head + text.dropFirst(cursor)), head.count)
  }
}

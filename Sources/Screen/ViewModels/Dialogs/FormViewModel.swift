/// A form: its fields, their contents, and the focus.
///
/// It is independent of the form's purpose: its creator sets the closures.
package final class FormViewModel {
  package let invalidation: Invalidation
  package private(set) var title: String
  package private(set) var fields: [FormField] { didSet { invalidation.raise() } }
  /// The field that receives keys; `nil` in a form without focusable fields.
  package private(set) var focus: FormField.ID? { didSet { invalidation.raise() } }
  /// True while passwords are readable.
  package private(set) var showsPasswords = false { didSet { invalidation.raise() } }
  /// The message at the form's lower edge.
  package var message: FormMessage? { didSet { invalidation.raise() } }
  /// A box over the form; it receives all keys while it is there.
  package var dialog: Dialog? { didSet { invalidation.raise() } }
  /// The keys shown in the last line, the most important first.
  package var keyHints: [KeyHint] { didSet { invalidation.raise() } }
  /// A shorter version, for a line that is too narrow for all of them; empty if there is none.
  package var shortKeyHints: [KeyHint] = []
  /// The keys shown while a choice has the focus, where Left and Right have another effect; empty:
  /// the same keys.
  package var choiceKeyHints: [KeyHint] = []
  /// The key shown before the others if the form does not fit the screen.
  package var moreHint = ""
  /// A short text at the right end of the row of buttons.
  package var trailer = "" { didSet { invalidation.raise() } }
  /// While `true`, the form accepts no input except cancelling.
  package var isBusy = false { didSet { invalidation.raise() } }
  /// The button that Enter presses from a field.
  package var defaultButton: FormField.ID?

  /// Called when the user has changed a field's text or state.
  package var onChange: (FormField.ID) -> Void = { _ in }
  package var onPress: (FormField.ID) -> Void = { _ in }
  /// Called for Esc. The input stays.
  package var onCancel: () -> Void = {}
  /// Called for Left (-1) and Right (+1) outside text; if it is not set, they move among the
  /// buttons.
  package var onTurn: ((Int) -> Void)?
  /// Called for any key, by its name in the help, before the form handles it.
  /// - Returns: whether the key was handled.
  package var onChord: ((String) -> Bool)?
  /// True if `onChord` also receives the keys that work everywhere.
  package var practisesKeys = false
  /// Called for a button of `dialog`, which has closed already.
  package var onDialogPress: (Dialog.Button.ID) -> Void = { _ in }
  /// The choice whose values `dialog` lists.
  private var choosing: FormField.ID?
  /// Fields that were replaced by others, to restore their contents.
  private var remembered: [FormField.ID: FormField] = [:]

  package init(
    title: String, fields: [FormField], keyHints: [KeyHint] = [],
    defaultButton: FormField.ID? = nil,
    invalidation: Invalidation = Invalidation()
  ) {
    self.title = title
    self.fields = fields
    self.keyHints = keyHints
    self.defaultButton = defaultButton
    self.invalidation = invalidation
    focus = fields.first(where: \.isFocusable)?.id
  }

  /// The field with that identifier.
  package subscript(id: FormField.ID) -> FormField? { fields.first { $0.id == id } }

  /// Returns the keys to show now.
  /// - Parameter fits: returns whether a line has room for these.
  package func shownKeyHints(where fits: ([KeyHint]) -> Bool) -> [KeyHint] {
    if case .choice? = focusedField?.kind, !choiceKeyHints.isEmpty { return choiceKeyHints }
    return shortKeyHints.isEmpty || fits(keyHints) ? keyHints : shortKeyHints
  }

  package var focusedField: FormField? { focus.flatMap { self[$0] } }

  /// Returns the input of `id`, or an empty text.
  package func text(of id: FormField.ID) -> String { self[id]?.text ?? "" }

  package func isOn(_ id: FormField.ID) -> Bool { self[id]?.isOn ?? false }

  /// Changes a field from the program's side, without calling `onChange`.
  package func update(_ id: FormField.ID, _ change: (inout FormField) -> Void) {
    guard let index = fields.firstIndex(where: { $0.id == id }) else { return }
    var field = fields[index]
    change(&field)
    field.cursor = min(max(0, field.cursor), field.text.count)
    guard field != fields[index] else { return }
    fields[index] = field
    if focus == id, !field.isFocusable { moveFocus(by: 1) }
  }

  /// Replaces the fields. The input of a field with the same identifier stays.
  package func replace(title: String, fields newFields: [FormField], focus newFocus: FormField.ID?)
  {
    for field in fields where field.isFocusable || field.isText { remembered[field.id] = field }
    self.title = title
    fields = newFields.map { field in
      guard let before = remembered[field.id], before.kind == field.kind else { return field }
      var field = field
      (field.text, field.cursor) = (before.text, before.cursor)
      (field.isOn, field.selected) = (before.isOn, before.selected)
      return field
    }
    let wanted = newFocus ?? focus
    focus =
      fields.first { $0.id == wanted && $0.isFocusable }?.id
      ?? fields.first(where: \.isFocusable)?.id
  }

  /// Removes the errors of all fields, and the message.
  package func clearErrors() {
    for index in fields.indices where fields[index].error != nil { fields[index].error = nil }
    message = nil
  }

  // MARK: - Focus

  package func focus(on id: FormField.ID) {
    guard self[id]?.isFocusable == true else { return }
    focus = id
  }

  package func focusNext() { moveFocus(by: 1) }
  package func focusPrevious() { moveFocus(by: -1) }

  /// Moves the focus, wrapping around at both ends.
  private func moveFocus(by step: Int) {
    let order = fields.filter { $0.isFocusable || $0.id == focus }
    guard !order.isEmpty else { return focus = nil }
    let index = order.firstIndex { $0.id == focus } ?? (step > 0 ? -1 : 0)
    for distance in 1...order.count {
      let candidate = order[((index + step * distance) % order.count + order.count) % order.count]
      if candidate.isFocusable { return focus = candidate.id }
    }
  }

  // MARK: - User input

  /// Changes the text of the focused field after a key of the line editor.
  package func edit(_ text: String, cursor: Int) {
    guard !isBusy, let focused = focusedField, focused.isText else { return }
    update(focused.id) {
      if $0.text != text { $0.error = nil }
      ($0.text, $0.cursor) = (text, cursor)
    }
    if focused.text != text { onChange(focused.id) }
  }

  /// Handles Space: ticks, opens, chooses the next value, presses. It does nothing in a text.
  package func toggle() {
    guard !isBusy, let field = focusedField else { return }
    switch field.kind {
    case .checkbox, .disclosure:
      update(field.id) { $0.isOn.toggle() }
      onChange(field.id)
    case .choice: choose(by: 1)
    case .button: press(field.id)
    default: break
    }
  }

  /// Chooses another value of the focused choice, wrapping around.
  package func choose(by step: Int) {
    guard !isBusy, let field = focusedField, case .choice(let words) = field.kind, !words.isEmpty
    else { return }
    update(field.id) {
      $0.selected = (($0.selected + step) % words.count + words.count) % words.count
      $0.error = nil
    }
    onChange(field.id)
  }

  /// Handles Left and Right where they do not move a cursor.
  package func turn(by step: Int) {
    guard let field = focusedField else {
      onTurn?(step)
      return
    }
    if case .choice = field.kind { return choose(by: step) }
    if let onTurn { return onTurn(step) }
    moveFocus(by: step)
  }

  /// Handles Enter: presses a button, opens a disclosure or a choice's list; elsewhere moves to the
  /// next required field that is empty, and presses the default button if there is none.
  package func confirm() {
    guard !isBusy else { return }
    guard let field = focusedField else {
      if let defaultButton { press(defaultButton) }
      return
    }
    switch field.kind {
    case .button: return press(field.id)
    case .disclosure: return toggle()
    case .choice(let words): return list(words, of: field)
    default: break
    }
    let isEmptyAndRequired = { (field: FormField) in
      field.isFocusable && field.isText && field.isRequired && field.text.isEmpty
    }
    if let next = fields.first(where: { isEmptyAndRequired($0) && $0.id != field.id }) {
      focus = next.id
    } else if let defaultButton {
      press(defaultButton)
    } else {
      focusNext()
    }
  }

  /// Lists a choice's values, with the current one marked.
  private func list(_ words: [String], of field: FormField) {
    var list = Dialog(
      title: field.label, level: .question, lines: [],
      buttons: words.enumerated().map { Dialog.Button(String($0), $1) },
      safe: String(field.selected))
    list.isList = true
    choosing = field.id
    dialog = list
  }

  /// Presses a button, unless it is hidden or the form is busy.
  package func press(_ id: FormField.ID) {
    guard !isBusy, let field = self[id], field.isFocusable else { return }
    onPress(id)
  }

  package func togglePasswords() { showsPasswords.toggle() }

  /// Hides passwords when the user leaves the form.
  package func hidePasswords() { if showsPasswords { showsPasswords = false } }

  /// Handles Esc: closes the box, then cancels the work in progress, then the form.
  package func cancel() {
    if dialog != nil { dialog = nil } else { onCancel() }
  }

  /// Handles Enter in the box.
  package func pressDialog(_ id: Dialog.Button.ID? = nil) {
    guard let button = id ?? dialog?.focusedButton?.id else { return }
    let isList = dialog?.isList == true
    dialog = nil
    guard isList, let id = choosing, let index = Int(button) else { return onDialogPress(button) }
    guard index != self[id]?.selected else { return }
    update(id) {
      $0.selected = index
      $0.error = nil
    }
    onChange(id)
  }
}

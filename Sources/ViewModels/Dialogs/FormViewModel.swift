/// A form: its fields, what was typed into them, and which one has the focus.
///
/// It knows nothing of what the form is for: whoever makes it sets the closures.
package final class FormViewModel {
  package let invalidation: Invalidation
  package private(set) var title: String
  package private(set) var fields: [FormField] { didSet { invalidation.raise() } }
  /// The field that keys go to; `nil` in a form without anything to focus.
  package private(set) var focus: FormField.ID? { didSet { invalidation.raise() } }
  /// Whether passwords are readable at the moment.
  package private(set) var showsPasswords = false { didSet { invalidation.raise() } }
  /// What is said at the form's lower edge.
  package var message: FormMessage? { didSet { invalidation.raise() } }
  /// A box over the form; it takes all keys while it is there.
  package var dialog: Dialog? { didSet { invalidation.raise() } }
  /// The keys that are told in the last line, most important first.
  package var keyHints: [KeyHint] { didSet { invalidation.raise() } }
  /// The same in fewer words, for a line that is too narrow for all of them; empty: there are none.
  package var shortKeyHints: [KeyHint] = []
  /// What is told in their place while a choice has the focus, where Left and Right mean something else then; empty: the same.
  package var choiceKeyHints: [KeyHint] = []
  /// The key that is told before the others where the form does not fit the screen.
  package var moreHint = ""
  /// A short text at the right end of the row of buttons.
  package var trailer = "" { didSet { invalidation.raise() } }
  /// While `true` nothing can be typed or pressed, only cancelled.
  package var isBusy = false { didSet { invalidation.raise() } }
  /// The button that Enter presses from a field.
  package var defaultButton: FormField.ID?

  /// A field's text or state was changed by the person.
  package var onChange: (FormField.ID) -> Void = { _ in }
  package var onPress: (FormField.ID) -> Void = { _ in }
  /// Esc. What was typed stays.
  package var onCancel: () -> Void = {}
  /// Left (-1) and Right (+1) outside of text; where it is not set they move among the buttons.
  package var onTurn: ((Int) -> Void)?
  /// Any key, by the name that help gives it, before the form looks at it.
  /// - Returns: whether it was taken.
  package var onChord: ((String) -> Bool)?
  /// Whether `onChord` is offered those keys, too, that hold whatever is open.
  package var practisesKeys = false
  /// A button of `dialog`, which is gone already.
  package var onDialogPress: (Dialog.Button.ID) -> Void = { _ in }
  /// The choice whose words `dialog` lists.
  private var choosing: FormField.ID?
  /// Fields that were replaced by others, for when they come back.
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

  /// The field named `id`; its program has put it there.
  package subscript(id: FormField.ID) -> FormField? { fields.first { $0.id == id } }

  /// The keys that hold now, as far as they are told.
  /// - Parameter fits: whether a line has room for these.
  package func shownKeyHints(where fits: ([KeyHint]) -> Bool) -> [KeyHint] {
    if case .choice? = focusedField?.kind, !choiceKeyHints.isEmpty { return choiceKeyHints }
    return shortKeyHints.isEmpty || fits(keyHints) ? keyHints : shortKeyHints
  }

  package var focusedField: FormField? { focus.flatMap { self[$0] } }

  /// What was typed into `id`, or an empty text.
  package func text(of id: FormField.ID) -> String { self[id]?.text ?? "" }

  package func isOn(_ id: FormField.ID) -> Bool { self[id]?.isOn ?? false }

  /// Changes a field from the program's side: `onChange` is not called.
  package func update(_ id: FormField.ID, _ change: (inout FormField) -> Void) {
    guard let index = fields.firstIndex(where: { $0.id == id }) else { return }
    var field = fields[index]
    change(&field)
    field.cursor = min(max(0, field.cursor), field.text.count)
    guard field != fields[index] else { return }
    fields[index] = field
    if focus == id, !field.isFocusable { moveFocus(by: 1) }
  }

  /// Puts another set of fields in place. What was typed into a field of the same id stays.
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

  /// The focus goes round: after the last field comes the first.
  private func moveFocus(by step: Int) {
    let order = fields.filter { $0.isFocusable || $0.id == focus }
    guard !order.isEmpty else { return focus = nil }
    let index = order.firstIndex { $0.id == focus } ?? (step > 0 ? -1 : 0)
    for distance in 1...order.count {
      let candidate = order[((index + step * distance) % order.count + order.count) % order.count]
      if candidate.isFocusable { return focus = candidate.id }
    }
  }

  // MARK: - What the person does

  /// Puts `text` into the focused field after a key of the line editor.
  package func edit(_ text: String, cursor: Int) {
    guard !isBusy, let focused = focusedField, focused.isText else { return }
    update(focused.id) {
      if $0.text != text { $0.error = nil }
      ($0.text, $0.cursor) = (text, cursor)
    }
    if focused.text != text { onChange(focused.id) }
  }

  /// Space: ticks, opens, chooses the next word, presses. Nothing in a text.
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

  /// Takes another word of the focused choice; after the last comes the first.
  package func choose(by step: Int) {
    guard !isBusy, let field = focusedField, case .choice(let words) = field.kind, !words.isEmpty
    else { return }
    update(field.id) {
      $0.selected = (($0.selected + step) % words.count + words.count) % words.count
      $0.error = nil
    }
    onChange(field.id)
  }

  /// Left and Right where they do not move a cursor.
  package func turn(by step: Int) {
    guard let field = focusedField else {
      onTurn?(step)
      return
    }
    if case .choice = field.kind { return choose(by: step) }
    if let onTurn { return onTurn(step) }
    moveFocus(by: step)
  }

  /// Enter: presses a button, opens a disclosure or a choice's list; elsewhere goes on to the next required field that is empty,
  /// and presses the default button when there is none.
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

  /// Lists a choice's words, the present one marked.
  private func list(_ words: [String], of field: FormField) {
    var list = Dialog(
      title: field.label, level: .question, lines: [],
      buttons: words.enumerated().map { Dialog.Button(String($0), $1) },
      safe: String(field.selected))
    list.isList = true
    choosing = field.id
    dialog = list
  }

  package func press(_ id: FormField.ID) {
    guard !isBusy, let field = self[id], field.isFocusable else { return }
    onPress(id)
  }

  package func togglePasswords() { showsPasswords.toggle() }

  /// Passwords are hidden again when the form is left.
  package func hidePasswords() { if showsPasswords { showsPasswords = false } }

  /// Esc: first the box goes, then what is under way, then the form.
  package func cancel() {
    if dialog != nil { dialog = nil } else { onCancel() }
  }

  /// Enter in the box.
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

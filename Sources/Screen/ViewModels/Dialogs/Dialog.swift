import Text

/// A box with a few lines and buttons: an alert, a question or a notice.
nonisolated package struct Dialog: Hashable, Sendable {
  /// A line of the box.
  package enum Line: Hashable, Sendable {
    case text(String)
    /// A term and its value, such as "Where" and a host.
    case row(String, String)
    case blank
  }

  /// A button of the box.
  package struct Button: Identifiable, Hashable, Sendable {
    package let id: String
    package let label: String
    /// The label used if there are fewer than 60 columns.
    package let compactLabel: String?
    /// The key that presses it in a list; `nil`: there is none.
    package let key: Character?
    package init(
      _ id: String, _ label: String, compact: String? = nil, key: Character? = nil
    ) {
      self.id = id
      self.label = label
      self.key = key
      compactLabel = compact
    }
  }

  /// The purpose of the box, which decides its style.
  package enum Level: Hashable, Sendable { case info, question, error }

  package var title: String
  package var level: Level
  package var lines: [Line]
  /// The lines used if there are fewer than 60 columns.
  package var compactLines: [Line]?
  package var buttons: [Button]
  /// True if the buttons form a vertical list, which Up and Down move through.
  package var isList = false
  /// The keys that press a button of a list directly, in the order of the buttons.
  package var keys: [Character] = []
  /// The index of the button with the focus: at first the safe one.
  package private(set) var focus: Int

  /// - Parameter safe: the id of the button that Enter presses at first: the one that loses no
  ///   data.
  package init(
    title: String, level: Level = .info, lines: [Line], compactLines: [Line]? = nil,
    buttons: [Button], safe: Button.ID? = nil
  ) {
    self.title = title
    self.level = level
    self.lines = lines
    self.compactLines = compactLines
    self.buttons = buttons
    focus = buttons.firstIndex { $0.id == safe } ?? 0
  }

  package var focusedButton: Button? { buttons.indices.contains(focus) ? buttons[focus] : nil }

  /// Moves the focus, wrapping around at both ends.
  package mutating func moveFocus(by step: Int) {
    guard !buttons.isEmpty else { return }
    focus = ((focus + step) % buttons.count + buttons.count) % buttons.count
  }

  /// Replaces the entries of a list; the focus stays on the same label.
  mutating func offer(_ labels: [String]) {
    let label = focusedButton?.label
    buttons = labels.enumerated().map { Button(String($0), $1) }
    focus = buttons.firstIndex { $0.label == label } ?? 0
  }

  package mutating func focus(on id: Button.ID) {
    focus = buttons.firstIndex { $0.id == id } ?? focus
  }
}

/// A dialog on the screen.
package final class DialogViewModel {
  package let invalidation = Invalidation()
  package var dialog: Dialog { didSet { invalidation.raise() } }
  /// Called with the button that receives the focus.
  package var onFocus: (Dialog.Button.ID) -> Void = { _ in }
  private let onPress: (Dialog.Button.ID) -> Void
  private let onCancel: () -> Void

  /// - Parameters:
  ///   - onPress: called with the button's id.
  ///   - onCancel: called for Esc; it must be as harmless as the safe button.
  package init(
    _ dialog: Dialog, onPress: @escaping (Dialog.Button.ID) -> Void,
    onCancel: @escaping () -> Void
  ) {
    self.dialog = dialog
    self.onPress = onPress
    self.onCancel = onCancel
  }

  /// Handles Enter and Space.
  package func press() {
    guard let button = dialog.focusedButton else { return onCancel() }
    onPress(button.id)
  }

  package func press(_ id: Dialog.Button.ID) {
    guard dialog.buttons.contains(where: { $0.id == id }) else { return }
    dialog.focus(on: id)
    onPress(id)
  }

  package func cancel() { onCancel() }

  package func moveFocus(by step: Int) {
    dialog.moveFocus(by: step)
    if let button = dialog.focusedButton { onFocus(button.id) }
  }

  /// Returns a list of values to choose from; Esc chooses none.
  package static func choice(
    _ request: ChoiceRequest, onClose: @escaping () -> Void
  ) -> DialogViewModel {
    var list = Dialog(
      title: request.title, level: .question, lines: [],
      buttons: request.labels.enumerated().map { Dialog.Button(String($0), $1) },
      safe: String(request.selected))
    list.isList = true
    list.keys = request.keys
    let model = DialogViewModel(
      list,
      onPress: {
        onClose()
        request.onEnd(Int($0))
      },
      onCancel: {
        onClose()
        request.onEnd(nil)
      })
    model.onFocus = { id in if let index = Int(id) { request.onMove(index) } }
    request.offer.onChange = { [weak model, offer = request.offer] in
      model?.dialog.offer(offer.labels)
    }
    return model
  }

  /// Returns a question with two answers; Enter and Esc both mean "no".
  package static func confirmation(
    title: String, text: [String], yes: String, no: String, onYes: @escaping () -> Void,
    onNo: @escaping () -> Void
  ) -> DialogViewModel {
    DialogViewModel(
      Dialog(
        title: title, level: .question, lines: text.map { .text($0) },
        buttons: [Dialog.Button("yes", yes), Dialog.Button("no", no)], safe: "no"),
      onPress: { $0 == "yes" ? onYes() : onNo() }, onCancel: onNo)
  }

  /// Returns the question of a `ConfirmRequest`, its texts looked up.
  package static func confirmation(
    _ request: ConfirmRequest, localizer: Localizer, onEnd: @escaping () -> Void = {}
  ) -> DialogViewModel {
    let arguments = request.arguments.mapValues { ErrorText.oneLine($0) }
    return confirmation(
      title: localizer(request.titleKey), text: [localizer(request.textKey, arguments)],
      yes: localizer(request.acceptKey), no: localizer("dialog.cancel"),
      onYes: {
        request.onAccept()
        onEnd()
      }, onNo: onEnd)
  }
}

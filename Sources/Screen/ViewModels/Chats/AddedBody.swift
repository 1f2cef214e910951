import Text

/// A text for the input that the user did not type: that of an address, or a forwarded message.
struct AddedBody {
  let text: String

  /// Adds the text as a message, whatever it begins with, below what is typed as one. It gets
  /// neither into the correction of a message nor behind a command: those end, and are in the
  /// history.
  /// - Returns: whether something was typed as a message.
  @discardableResult func add(to input: InputViewModel) -> Bool {
    if input.heldDraft != nil {
      input.remember(input.text)
      input.endAim()
    }
    let isAlone = input.text.isEmpty
    input.replaceText(isAlone ? text.asTyped : input.text + "\n" + text)
    return !isAlone
  }
}

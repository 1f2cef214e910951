/// Up in an empty input: it edits the user's last message, if the user wants that.
package struct EditOnUp {
  private let shell: ShellViewModel

  package init(_ shell: ShellViewModel) { self.shell = shell }

  /// Loads the user's last message into the input.
  /// - Returns: `false` if Up has its usual effect: there is no such message, or the input is in
  ///   use.
  package func begins() -> Bool {
    let input = shell.input
    guard shell.inputMemory.editsOnUp(), input.text.isEmpty, input.aim == nil,
      input.pendingPaste == nil
    else { return false }
    do { try shell.editMessage("") } catch { return false }
    return true
  }
}

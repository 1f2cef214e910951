import NatterCore

/// The whole text of a message; of a long one, memory holds only the beginning.
struct WholeText {
  let shell: ShellViewModel

  /// Performs an action on a message once its whole text is loaded.
  func of(
    _ message: Message, _ action: @escaping @MainActor (ShellViewModel, Message) -> Void
  ) {
    guard message.isShortened else { return action(shell, message) }
    let archive = shell.timeline.archive
    shell.lifetime.aside { [weak shell] in
      do {
        let whole = try await archive.whole(message)
        if let shell { action(shell, whole) }
      } catch {
        shell?.report(error)
      }
    }
  }
}

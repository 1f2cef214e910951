import NatterCore

/// All of a message's text, of which a long one has only the beginning in memory.
struct WholeText {
  let shell: ShellViewModel

  /// Does something with a message once all of its text is here.
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

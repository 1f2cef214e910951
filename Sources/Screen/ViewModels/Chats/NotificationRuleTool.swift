import NatterCore

/// Changes the notification rules of conversations, for commands.
struct NotificationRuleTool {
  let shell: ShellViewModel

  /// Makes a change after earlier ones, and shows its notice once it is stored. A command that
  /// fails comes back into the input.
  func change(
    _ edit: @escaping @MainActor (ConversationNotifications) async throws -> StatusNotice
  ) {
    let (line, notifications) = (CommandOrigin.current, shell.actions.notifications)
    shell.lifetime.inOrder { [weak shell] in
      do {
        let notice = try await edit(notifications)
        shell?.show(notice)
      } catch {
        shell?.report(error, of: line)
      }
    }
  }
}

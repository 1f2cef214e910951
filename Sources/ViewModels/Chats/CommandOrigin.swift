import XMPP

/// A command as the user entered it, with its conversation.
nonisolated struct CommandOrigin: Hashable, Sendable {
  let text: String
  /// `nil`: no conversation was open.
  let conversation: JID?

  /// The command that started the current work. The work of a command continues after it and may be
  /// refused much later: its task carries this value along.
  @TaskLocal static var current: CommandOrigin?
}

import XMPP

/// A command as it was typed, and where.
nonisolated struct CommandOrigin: Hashable, Sendable {
  let text: String
  /// `nil`: no conversation was open.
  let conversation: JID?

  /// The command that what is being done now was begun by. What a command begins goes on after it, and may be refused long
  /// after that: the task has this with it.
  @TaskLocal static var current: CommandOrigin?
}

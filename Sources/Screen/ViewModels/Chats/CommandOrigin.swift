import XMPP

/// A command as the user entered it, with its conversation.
nonisolated struct CommandOrigin: Hashable, Sendable {
  let text: String
  /// `nil`: no conversation was open.
  let conversation: JID?
  /// The purpose of the input; `nil`: a message of its own.
  let aim: ComposeMode?

  /// The command that `input` contains. Only `/say` has a text of the conversation, which a reply
  /// or a correction may be for.
  @MainActor init(_ command: Command, in input: InputViewModel, for aim: ComposeMode?) {
    text = input.text
    conversation = input.conversation
    self.aim = command.name == "say" ? aim : nil
  }

  /// The command that started the current work. The work of a command continues after it and may be
  /// refused much later: its task carries this value along.
  @TaskLocal static var current: CommandOrigin?
}

import Text

/// The texts of a command that a script offers, ready to be drawn: they are in no file of texts.
nonisolated package struct CommandTexts: Hashable, Sendable {
  /// How it is written: `/greet NICK`.
  package let usage: String
  package let summary: String
  /// Indicates whether the palette lists it.
  package let isInPalette: Bool

  /// The names of the commands that end or remove something valuable.
  static let finalNames: Set = [
    "leave", "logout", "unregister", "destroy", "remove", "delete", "block", "kick", "ban",
    "cancel",
  ]
}

extension Localizer {
  /// Returns the description of a command.
  package func summary(of command: Command) -> String {
    command.texts?.summary ?? self(command.summaryKey)
  }

  /// Returns how a command is written, as in `/msg ADDRESS TEXT`.
  package func usage(of command: Command) -> String {
    command.texts?.usage ?? self(command.usageKey)
  }
}

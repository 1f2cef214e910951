/// The pages of the help that `/help` opens by name.
enum HelpTopics {
  /// The keys of their titles.
  static let keys = [
    "help.topicKeys", "help.topicCommands", "help.topicPanes", "help.topicEditing", "help.topicVi",
    "help.topicPrivacy",
  ]
}

import NatterCore

/// Where the user is in the messages of a conversation.
struct TimelinePosition {
  let anchor: TimelineViewModel.Anchor?
  let selected: Message.ID?
  let marked: Message.ID?
  /// What the marked one was looked for by.
  let sought: [String]
}

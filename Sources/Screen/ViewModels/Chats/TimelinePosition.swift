import NatterCore

/// The user's position in the messages of a conversation.
struct TimelinePosition {
  let anchor: TimelineViewModel.Anchor?
  let selected: Message.ID?
  let marked: Message.ID?
  /// The search terms that found the marked message.
  let sought: [String]
}

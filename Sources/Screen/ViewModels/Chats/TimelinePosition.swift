import NatterCore

/// The user's position in the messages of a conversation.
struct TimelinePosition: Equatable {
  let anchor: TimelineViewModel.Anchor?
  let selected: Message.ID?
  let marked: Message.ID?
  /// The search terms that found the marked message.
  let sought: [String]

  /// Goes back there, after a search has moved the timeline.
  func restore(in timeline: TimelineViewModel) {
    (timeline.window.marked, timeline.window.sought) = (marked, sought)
    timeline.refresh()
    // Without an anchor it follows the end.
    guard anchor != nil else { return timeline.jumpToNewest() }
    timeline.resume(at: self)
  }
}

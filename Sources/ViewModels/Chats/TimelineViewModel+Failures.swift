import NatterCore

// What of the messages that could not be sent somebody looks at.
extension TimelineViewModel {
  func sawFailures(among items: ArraySlice<TimelineItem>) {
    var shown: Set<Message.ID> = []
    for item in items where item.tick == .failed {
      if case .message(let id) = item.id { shown.insert(id) }
    }
    guard shown != failuresShown else { return }
    failuresShown = shown
    tellFailuresSeen()
  }

  func tellFailuresSeen() {
    guard isAttended, !failuresShown.isEmpty, let conversation else { return }
    onFailuresSeen(conversation, failuresShown)
  }
}

extension Message {
  /// Whether nobody can have seen it yet: it waits to be sent, and so does what it said first.
  package var isUnsent: Bool {
    direction == .outgoing && delivery == .queued && (edit == nil || isFirstQueued)
  }
}

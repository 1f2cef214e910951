import NatterCore

// The messages that could not be sent and that the user looks at.
extension TimelineViewModel {
  func sawFailures(among items: ArraySlice<TimelineItem>) {
    var shown: Set<Message.ID> = []
    for item in items where item.tick == .failed {
      if case .message(let id) = item.id { shown.insert(id) }
    }
    guard shown != failuresShown else { return }
    failuresShown = shown
    reportSeenFailures()
  }

  func reportSeenFailures() {
    guard isAttended, !failuresShown.isEmpty, let conversation else { return }
    onFailuresSeen(conversation, failuresShown)
  }
}

extension Message {
  /// Indicates whether it cannot have been seen yet: it waits to be sent, and so does its original.
  package var isUnsent: Bool {
    direction == .outgoing && delivery == .queued && (edit == nil || isFirstQueued)
  }
}

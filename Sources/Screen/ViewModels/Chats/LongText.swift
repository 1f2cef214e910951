import NatterCore

/// A long text among the messages: its beginning is shown, and all of it on request.
enum LongText {
  /// Shows the whole text of a message, from the database, until another one is expanded.
  static func show(_ message: Message, in timeline: TimelineViewModel) {
    let (visit, archive) = (timeline.visit, timeline.archive)
    // Not if another conversation was opened meanwhile, but if this one was read again.
    func isOpen(_ timeline: TimelineViewModel) -> Bool {
      visit == timeline.visit || timeline.window.isRenewed(since: visit)
    }
    timeline.lifetime.aside { [weak timeline] in
      do {
        guard let text = try await archive.wholeText(of: message.id), let timeline,
          isOpen(timeline)
        else { return }
        timeline.failure = nil
        timeline.window.expand(message.id, to: text)
        // The text starts on the same row as before, and the following lines are below.
        timeline.anchor = TimelineViewModel.Anchor(message: message.id, line: 0)
        timeline.window.trim(around: message.id)
        timeline.refresh()
        timeline.onScroll()
      } catch {
        guard let timeline, isOpen(timeline) else { return }
        timeline.failure = timeline.format.loadFailure(error)
        timeline.refresh()
      }
    }
  }
}

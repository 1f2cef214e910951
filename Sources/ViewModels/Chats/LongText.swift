import NatterCore

/// A long text among the messages: its beginning is shown, and all of it where the user asks for it.
struct LongText {
  let timeline: TimelineViewModel

  /// Shows all of a message's text, which the database has, until that of another one is shown.
  func show(_ message: Message) {
    let (visit, archive) = (timeline.visit, timeline.archive)
    timeline.lifetime.aside { [weak timeline] in
      do {
        guard let text = try await archive.wholeText(of: message.id), let timeline,
          // Else another conversation was opened meanwhile.
          timeline.visit == visit
        else { return }
        timeline.failure = nil
        timeline.window.expand(message.id, to: text)
        // It begins where its beginning stood, and the next lines are below.
        timeline.anchor = TimelineViewModel.Anchor(message: message.id, line: 0)
        timeline.window.trim(around: message.id)
        timeline.refresh()
        timeline.onScroll()
      } catch {
        guard let timeline else { return }
        timeline.failure = timeline.format.loadFailure(error)
        timeline.refresh()
      }
    }
  }
}

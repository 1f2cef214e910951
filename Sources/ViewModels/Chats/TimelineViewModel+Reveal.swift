import NatterCore
import XMPP

/// Going to one message, wherever in the conversation it is.
extension TimelineViewModel {
  /// Shows the message of that row at the top, with those around it, and marks it; one that is not there changes nothing.
  ///
  /// The conversation has to be the one that is open.
  package func reveal(_ id: Message.ID) {
    if window.messages.contains(where: { $0.id == id }) { return mark(id) }
    guard let conversation else { return }
    let visit = visit
    lifetime.aside { [weak self, archive] in
      let half = TimelineWindow.pageSize / 2
      guard let message = try? await archive.storedMessage(id),
        message.conversation == conversation,
        let older = try? await archive.messages(
          before: message.position, half, in: conversation),
        let newer = try? await archive.messages(after: message.position, half * 2, in: conversation)
      else { return }
      self?.show(
        older + [message] + newer, around: id, visit, hasOlder: older.count >= half,
        hasNewer: newer.count >= half * 2)
    }
  }

  private func show(
    _ page: [Message], around id: Message.ID, _ itsVisit: Int, hasOlder: Bool, hasNewer: Bool
  ) {
    guard itsVisit == visit else { return }
    // What is being read belongs to another place.
    visit += 1
    (isLoading, hasLoaded) = (false, true)
    window.replace(with: page, hasOlder: hasOlder, hasNewer: hasNewer)
    mark(id)
    readHoles()
  }

  private func mark(_ id: Message.ID) {
    window.marked = id
    refresh()
    scroll(to: Anchor(message: id, line: 0))
  }
}

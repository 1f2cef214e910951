import NatterCore
import Text
import XMPP

/// A question about a timeline.
typealias TimelineTest = (TimelineViewModel) -> Bool

/// Going to one message, wherever in the conversation it is.
extension TimelineViewModel {
  /// Shows a message of the open conversation at the top, with those around it, and marks it; does
  /// nothing without it.
  /// - Parameter words: what it was looked for by; none: the message itself was.
  package func reveal(_ id: Message.ID, having words: [String] = []) {
    bring(id) { $0.mark(id, words) }
  }

  var position: TimelinePosition {
    TimelinePosition(
      anchor: anchor, selected: selectedMessage?.id, marked: window.marked, sought: window.sought)
  }

  /// Goes to the user's earlier position, as soon as the messages there have been read.
  func resume(at position: TimelinePosition, if isWanted: @escaping TimelineTest = { _ in true }) {
    guard let id = position.anchor?.message ?? position.selected else { return }
    bring(id, if: isWanted) { timeline in
      (timeline.window.marked, timeline.window.sought) = (position.marked, position.sought)
      timeline.refresh()
      timeline.scroll(to: position.anchor)
      timeline.select(position.selected)
    }
  }

  /// Messages have moved out of the loaded part, into archive order: the anchor goes with them,
  /// unless it is there again, or the user has scrolled on, before they are read.
  func follow(_ gone: Set<Message.ID>) {
    if let anchor, gone.contains(anchor.message) {
      resume(at: position) { $0.anchor == anchor && !$0.window.contains(anchor.message) }
    } else if !gone.isEmpty, window.oldest == nil {
      giveUpReading()
      loadLatest()
    }
  }

  /// Has a message among those that are there, and then does something about it.
  private func bring(
    _ id: Message.ID, if isWanted: @escaping TimelineTest = { _ in true },
    then go: @escaping (TimelineViewModel) -> Void
  ) {
    if window.contains(id) { return go(self) }
    guard let conversation else { return }
    lifetime.aside { [weak self, archive, visit] in
      let half = TimelineWindow.pageSize / 2
      guard let message = try? await archive.storedMessage(id),
        message.conversation == conversation,
        let page = try? await archive.messages(
          around: message.position, older: half, in: conversation),
        let self
      else { return }
      if visit == self.visit {
        guard isWanted(self) else { return }
        giveUpReading()
        hasLoaded = true
        window.replace(with: page, around: message.position, older: half)
        window.leaveVisits()
        go(self)
        readHoles()
      } else if window.isRenewed(since: visit) {
        // It was read before what is new, and the user still wants to go there.
        bring(id, if: isWanted, then: go)
      }
    }
  }

  private func mark(_ id: Message.ID, _ words: [String]) {
    (window.marked, window.sought) = (id, words)
    refresh()
    scroll(to: Anchor(message: id, line: 0))
    // The match may be behind the part that is shown.
    guard let found = window.messages.last(where: { $0.id == id }), found.isShortened,
      words.contains(where: { FoundText.ranges(of: [$0], in: found.body).isEmpty })
    else { return }
    LongText.show(found, in: self)
  }
}

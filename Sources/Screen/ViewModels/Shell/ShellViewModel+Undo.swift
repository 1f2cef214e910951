import NatterCore
import XMPP

// Taking back what was done last to the list of conversations (interface.md, "Lists"): at any time
// after, not for some seconds.
extension ShellViewModel {
  package func undo() {
    guard let takeBack = undoLastChange else {
      return show(StatusNotice(.info, "status.nothingToUndo"))
    }
    undoLastChange = nil
    takeBack()
  }

  /// Takes what is shown of the conversation off the screen; its messages stay.
  package func clearView() throws {
    guard sidebar.active != nil else { throw NatterError(.invalidInput, "error.noConversation") }
    timeline.clear()
    show(StatusNotice(.info, "status.cleared"))
  }

  package func close(_ jid: JID) { close(jid, saying: nil) }

  /// Hides a conversation; its messages stay.
  /// - Parameter notice: the notice to show; `nil`: that it is hidden, and how to show it again.
  func close(_ jid: JID, saying notice: StatusNotice?) {
    (slots.first { $0.conversation == jid } ?? current).typing.closed(jid)
    let next = unshown(after: jid)
    let name = name(of: jid)
    let line = CommandOrigin.current
    lifetime.inOrder { [weak self, ports] in
      do {
        try await ports.conversations.hide(jid)
        guard let self else { return }
        let wasActive = sidebar.active == jid
        let emptied = slots.first { $0.conversation == jid }
        let kind = sidebar.conversation(jid)?.kind ?? .direct
        let rank = sidebar.rank(of: jid)
        handle(.conversationsRemoved([jid]))
        if let emptied { fill(emptied, with: next.flatMap { sidebar.conversation($0) }) }
        undoLastChange = { [weak self] in self?.bringBack(jid, kind, to: rank, opens: wasActive) }
        show(notice ?? hiddenNotice(name, jid))
      } catch {
        self?.report(error, of: line)
      }
    }
  }

  /// The conversation after `jid` on the list, round its end, that is not on the screen.
  private func unshown(after jid: JID) -> JID? {
    let order = sidebar.order
    guard let index = order.firstIndex(of: jid) else { return nil }
    return (order[(index + 1)...] + order[..<index]).first { other in
      !slots.contains { $0.conversation == other }
    }
  }

  /// Shows another conversation after one is gone; without any, the other half fills the screen.
  private func fill(_ slot: ConversationViewModel, with next: Conversation?) {
    if let next, !slots.contains(where: { $0.conversation == next.jid }) {
      if slot === current { return show(next) }
      slot.show(next)
      return rememberSlots()
    }
    guard split != nil else { return }
    if slot === current { useOtherSlot() }
    requestSplit(nil)
  }

  /// The key comes first: a command would be appended to the present input.
  private func hiddenNotice(_ name: String, _ jid: JID) -> StatusNotice {
    let keys = status.keysOf("undoList")
    return keys.isEmpty
      ? StatusNotice(.info, "status.closed", ["name": name, "address": jid.shown])
      : StatusNotice(.info, "status.closedKey", ["name": name, "keys": keys])
  }

  private func bringBack(
    _ jid: JID, _ kind: Conversation.ConversationKind, to rank: SidebarViewModel.Rank, opens: Bool
  ) {
    let line = CommandOrigin.current
    let pending = openings.begin()
    lifetime.inOrder { [weak self, ports, openings] in
      do {
        let conversation = try await ports.conversations.open(jid, kind: kind)
        guard let self else { return }
        handle(.conversationsChanged([conversation]))
        sidebar.put(jid, to: rank)
        if opens, jid != sidebar.active {
          show(conversation)
          onOpen()
        }
        show(StatusNotice(.info, "status.broughtBack", ["name": name(of: jid)]))
        openings.end(pending)
      } catch {
        openings.end(pending, isOpen: false)
        self?.report(error, of: line)
      }
    }
  }

  /// Pins the conversation that is meant to the top, or lets it go.
  package func togglePin() {
    guard let jid = meant else { return show(StatusNotice(.info, "error.noConversation")) }
    let rank = sidebar.rank(of: jid)
    guard togglePin(jid) else { return show(StatusNotice(.info, "error.noConversation")) }
    undoLastChange = { [weak self] in
      guard self?.sidebar.isPinned(jid) != rank.isPinned else { return }
      self?.togglePin(jid)
    }
  }

  @discardableResult private func togglePin(_ jid: JID) -> Bool {
    guard let isPinned = sidebar.togglePin(jid) else { return false }
    arrangements.whenStored { [weak self] in
      guard let self, sidebar.isPinned(jid) == isPinned else { return }
      show(
        StatusNotice(
          .info, isPinned ? "status.pinned" : "status.unpinned", ["name": name(of: jid)]))
    }
    return true
  }

  /// Moves the conversation that is meant up (`-1`) or down (`1`) the list.
  package func moveConversation(by step: Int) {
    guard let jid = meant else { return show(StatusNotice(.info, "error.noConversation")) }
    let rank = sidebar.rank(of: jid)
    if sidebar.move(jid, by: step) { moved(jid, from: rank) }
  }

  package func moveConversation(to number: Int) throws {
    guard let jid = activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    let rank = sidebar.rank(of: jid)
    sidebar.give(jid, number: number)
    if rank.number != number { moved(jid, from: rank) }
    reportNumber(of: jid)
  }

  private func moved(_ jid: JID, from rank: SidebarViewModel.Rank) {
    undoLastChange = { [weak self] in
      guard let self, sidebar.conversation(jid) != nil else { return }
      sidebar.put(jid, to: rank)
      reportNumber(of: jid)
    }
  }

  private func reportNumber(of jid: JID) {
    arrangements.whenStored { [weak self] in
      guard let self else { return }
      let number = sidebar.rank(of: jid).number.map { "\($0)" } ?? ""
      show(StatusNotice(.info, "status.numbered", ["name": name(of: jid), "number": number]))
    }
  }
}

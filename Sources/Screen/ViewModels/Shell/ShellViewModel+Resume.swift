import NatterCore
import XMPP

/// The user's position in the chats, for a shell that replaces another one.
package struct ChatsPosition {
  fileprivate let timelines: [JID: TimelinePosition]
  /// The incidents of rooms, to be shown in another language.
  fileprivate let incidents: TimelineIncidents
  fileprivate let selection: SidebarItem.ID?
  fileprivate let filter: String?
}

// Replacing a shell by another one: in another language, or with other glyphs.
extension ShellViewModel {
  /// The input of all conversations.
  package var inputMemory: ComposerState { input.memory }

  /// The user's position; the inputs leave their content to those of the next shell.
  package func detach() -> ChatsPosition {
    var timelines: [JID: TimelinePosition] = [:]
    (inputMemory.numbers, inputMemory.feedNumbers) = (sidebar.numbers, sidebar.feedNumbers)
    for slot in slots {
      slot.input.hold()
      if let jid = slot.conversation { timelines[jid] = slot.timeline.position }
    }
    return ChatsPosition(
      timelines: timelines, incidents: timeline.incidents, selection: sidebar.selection,
      filter: sidebar.filter)
  }

  /// Has what is being typed in the database, whatever else is under way.
  package func keepDrafts() async {
    for slot in slots { slot.input.saveDraft() }
    await lifetime.settleInOrder()
  }

  /// Returns when all work begun so far is done. Unfinished input belongs to the next shell by now.
  package func settle() async { await lifetime.settle() }

  /// Continues for a shell that received all events until now: the notifications held back while
  /// archives are read, the rooms being joined, and the conversations being opened.
  func restore(from other: ShellViewModel) {
    (catchUps, heldBells, joins) = (other.catchUps, other.heldBells, other.joins)
    tools.history.take(from: other)
    tools.historyFiles.take(from: other)
    other.successor = self
    for slot in slots { slot.timeline.isCatchingUp = catchUps > 0 }
  }

  /// Passes the notices of this shell on to another one from now on.
  package func present(_ other: ShellViewModel) { status.present(other.status) }

  /// Goes to the position in the previous shell, once this one is loaded.
  package func resume(at position: ChatsPosition) {
    for slot in slots {
      slot.timeline.take(position.incidents)
      if let there = slot.conversation.flatMap({ position.timelines[$0] }) {
        slot.timeline.resume(at: there)
      }
    }
    if let filter = position.filter {
      sidebar.beginFilter()
      sidebar.typeFilter(filter)
    }
    if let selection = position.selection { sidebar.select(selection) }
  }
}

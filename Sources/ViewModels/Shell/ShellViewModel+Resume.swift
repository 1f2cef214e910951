import NatterCore
import XMPP

/// Where somebody is in the chats: for a shell that takes the place of another one.
package struct ChatsPosition {
  fileprivate let timelines: [JID: TimelinePosition]
  /// What happened in rooms, to be told in other words.
  fileprivate let incidents: TimelineIncidents
  fileprivate let selection: SidebarItem.ID?
  fileprivate let filter: String?
}

// A shell in the place of another one: in another language, or drawn with other signs.
extension ShellViewModel {
  /// What was typed in all conversations.
  package var inputMemory: ComposerState { input.memory }

  /// Where somebody is; the inputs leave what is in them to those of the next shell.
  package func giveWay() -> ChatsPosition {
    var timelines: [JID: TimelinePosition] = [:]
    (inputMemory.numbers, inputMemory.feedNumbers) = (sidebar.numbers, sidebar.feedNumbers)
    for place in places {
      place.input.hold()
      if let jid = place.conversation { timelines[jid] = place.timeline.position }
    }
    return ChatsPosition(
      timelines: timelines, incidents: timeline.incidents, selection: sidebar.selection,
      filter: sidebar.filter)
  }

  /// Has what is being typed in the database, whatever else is under way.
  package func keepDrafts() async {
    for place in places { place.input.saveDraft() }
    await lifetime.settleInOrder()
  }

  /// Returns when everything begun so far is done. What stands in the inputs is the next shell's by now.
  package func settle() async { await lifetime.settle() }

  /// Goes on with what a shell that had all news until now is about: what is told and rung once archives are read, what is under
  /// way at the doors of rooms, and the conversations that it is opening.
  func goOn(from other: ShellViewModel) {
    (catchUps, heldBells) = (other.catchUps, other.heldBells)
    doors = other.doors
    other.successor = self
    for place in places { place.timeline.isCatchingUp = catchUps > 0 }
  }

  /// Has another shell tell what this one has to tell from now on.
  package func tell(_ other: ShellViewModel) { status.tell(other.status) }

  /// Goes to where somebody was in the shell before, once this one is loaded.
  package func resume(at position: ChatsPosition) {
    for place in places {
      place.timeline.take(position.incidents)
      if let there = place.conversation.flatMap({ position.timelines[$0] }) {
        place.timeline.resume(at: there)
      }
    }
    if let filter = position.filter {
      sidebar.beginFilter()
      sidebar.typeFilter(filter)
    }
    if let selection = position.selection { sidebar.select(selection) }
  }
}

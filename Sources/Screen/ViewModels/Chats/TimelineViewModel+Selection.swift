import NatterCore
import Text
import XMPP

/// Choosing one of the messages, to do something with it.
extension TimelineViewModel {
  /// The message that is chosen, as far as it is loaded.
  package var selectedMessage: Message? {
    guard let selected else { return nil }
    return window.messages.last { $0.id == selected }
  }

  /// The message that an action is for: the selected one, else the newest.
  package var messageInHand: Message? { selectedMessage ?? window.messages.last }

  /// Chooses a message; `nil`: none.
  package func select(_ id: Message.ID?) {
    guard id != selected else { return }
    selected = id
    codeOffset = 0
    refresh()
  }

  /// Shows the preformatted lines of the chosen message from another column on.
  package func scrollCode(to column: Int) {
    guard column != codeOffset else { return }
    codeOffset = column
    refresh()
  }

  /// The name of a message's author, as the list shows it.
  package func author(of message: Message) -> String {
    message.direction == .outgoing
      ? format.localizer("timeline.you") : format.shown(people.shortName(of: message.sender))
  }

  /// The newest loaded messages first, as many as a list of them is useful for.
  package var recentMessages: [Message] { window.messages.suffix(200).reversed() }

  /// Highlights the matches of the search and the selected row.
  func highlight(_ items: inout [TimelineItem]) {
    guard window.marked != nil || selected != nil else { return }
    for index in items.indices {
      guard case .message(let id) = items[index].id else { continue }
      items[index].isMarked = id == window.marked
      if id == window.marked { items[index].paint(window.sought) }
      items[index].isSelected = id == selected
      items[index].codeOffset = id == selected ? codeOffset : 0
    }
  }
}

import Keys
import NatterCore
import Terminal
import ViewModels

// Keys and mouse events for the messages.
extension ChatsScreen {
  func performInMessages(_ action: KeyAction) {
    switch action {
    case .messageAbove: timeline.moveSelection(-1)
    case .messageBelow: timeline.moveSelection(1)
    case .lineUp, .lineDown: timeline.scroll(by: action == .lineUp ? -1 : 1)
    case .codeLeft, .codeRight: timeline.scrollCode(by: action == .codeLeft ? -8 : 8)
    case .firstMessage: timeline.selectOldest(unless: shell.goToFirstMessage)
    case .lastMessage: timeline.selectNewest()
    case .openMessage: shell.openMessage()
    case .copyMessage: shell.copyMessage()
    case .saveFile: shell.saveMessageFile()
    case .reactMessage: shell.beginReaction()
    case .deleteMessage: shell.beginDeletion()
    case .viewPicture: shell.viewPicture()
    case .pinMessage: shell.tools.pins.toggle()
    case .forwardMessage: shell.tools.forwarding.begin()
    case .retry: shell.retryFailed()
    case .loadMissing: shell.timeline.loadMissing()
    case .findOlder: shell.goOnSearching(1)
    case .findNewer: shell.goOnSearching(-1)
    case .leaveMessages: focus.focus(.input)
    default: break
    }
  }

  /// Begins a reply to a message, or its correction.
  func beginWriting(_ action: KeyAction) {
    if action == .editMessage { shell.beginEdit() } else { shell.beginReply() }
    guard shell.input.aim != nil else { return }
    if layout.input == nil { conversationOpened() }
    focus.focus(.input)
  }

  /// Opens the clicked link, or selects the message; a selected message with a file opens it.
  func clickMessages(_ mouse: MouseEvent) {
    guard mouse.button == 1 else { return }
    switch timeline.target(at: mouse.at) {
    case .link(let link): shell.open(link: link)
    case .message(let id):
      if shell.timeline.selectedMessage?.id == id, shell.timeline.selectedMessage?.file != nil {
        return shell.openMessage()
      }
      focus.focus(.messages)
      updateFocus()
      shell.timeline.select(id)
    case nil: break
    }
  }

  /// Passes the focus to the messages of both views; the focused one has a selection.
  func focusMessages() {
    let isThere = focus.current == .messages
    let comes = isThere && !shell.timeline.isFocused
    shell.timeline.isFocused = isThere
    shell.otherSlot?.timeline.isFocused = false
    if comes { timeline.selectShown() }
  }
}

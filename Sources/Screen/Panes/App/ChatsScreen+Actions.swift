import Keys
import NatterCore
import Terminal
import ViewModels

// Actions on the chats.
extension ChatsScreen {
  /// The actions that no pane here does anything for.
  nonisolated static let foreign: Set<KeyAction> = [
    .toggle, .valueBefore, .valueAfter, .sort, .refresh, .saveAs, .forward, .showInChat, .pause,
    .editFile, .dayOrNight,
  ]

  /// Returns whether the chats can perform an action now.
  func takes(_ action: KeyAction) -> Bool {
    switch action {
    case _ where focus.current == .request && RequestPane.actions.contains(action): true
    case _ where Self.foreign.contains(action): false
    case .hideConversation: shell.activeConversation != nil
    // Those of a list are the list's of conversations, unless another one has the keys.
    case .selectNext, .selectPrevious, .selectFirst, .selectLast, .open, .filter, .remove, .add,
      .rename:
      ![.details, .accounts].contains(focus.current) || acceptedActions?.contains(action) != false
    default: true
    }
  }

  /// Does what is bound to a key.
  package func perform(_ action: KeyAction) -> KeyDisposition {
    guard takes(action) else { return .ignored }
    if focus.current == .request, request.perform(action) { return .handled }
    return run(action)
  }

  private func run(_ action: KeyAction) -> KeyDisposition {
    switch action {
    case .nextConversation: shell.openNeighbour(1)
    case .previousConversation: shell.openNeighbour(-1)
    case .nextUnread: shell.openNextUnread()
    case .lastConversation: shell.openLast()
    case .conversation1: shell.openConversation(number: 1)
    case .conversation2: shell.openConversation(number: 2)
    case .conversation3: shell.openConversation(number: 3)
    case .conversation4: shell.openConversation(number: 4)
    case .conversation5: shell.openConversation(number: 5)
    case .conversation6: shell.openConversation(number: 6)
    case .conversation7: shell.openConversation(number: 7)
    case .conversation8: shell.openConversation(number: 8)
    case .conversation9: shell.openConversation(number: 9)
    case .conversation10: shell.openConversation(number: 10)
    case .hideConversation:
      if let active = shell.activeConversation { shell.close(active) }
    case .undoList: shell.undo()
    case .replyMessage, .editMessage: beginWriting(action)
    case .find: shell.beginSearch()
    case .links: shell.chooseLink()
    case .pickFiles: shell.askForFiles()
    case .splitBeside: split(shell.split == .beside ? nil : .beside)
    case .splitStacked: split(shell.split == .stacked ? nil : .stacked)
    case .otherConversation: useOtherHalf()
    case .growConversation: resizeHalf(by: 1)
    case .shrinkConversation: resizeHalf(by: -1)
    case .nextPane: moveFocus(1)
    case .previousPane: moveFocus(-1)
    case .toggleSidebar: toggleSidebar()
    case .toggleDetails:
      if shell.activeConversation == nil {
        shell.show(StatusNotice(.info, "error.noConversation"))
      } else {
        toggleDetails()
      }
    case .plainView: togglePlainView()
    case .cancel: cancel()
    case .interrupt: shell.interrupt()
    case .pageUp: timeline.scroll(pages: -1)
    case .pageDown: timeline.scroll(pages: 1)
    case .newest: timeline.scrollToNewest()
    case .oldest: timeline.scrollToOldest(unless: shell.goToFirstMessage)
    case .editDraft: shell.editDraft()
    case .searchHistory: shell.searchHistory()
    case .pickEmoji: shell.pickEmoji()
    case .send, .newLine, .newLineOrRun, .complete, .completeBack, .historyOlder, .historyNewer,
      .sendAndNext:
      performInInput(action)
    case .lineStart, .lineEnd, .backwardCharacter, .forwardCharacter, .backwardWord, .forwardWord,
      .deleteBackward, .deleteForward, .cutToBlank, .cutWordBackward, .cutWordForward,
      .cutToLineStart, .cutToLineEnd, .yank, .transpose, .capitalizeWord, .undo, .redo,
      .transposeWords, .lowerWord, .upperWord, .revertLine:
      // Called by name, the action reports that it had nothing to edit; a key goes no further.
      return input.edit(action) ? .handled : .ignored
    case .messageAbove, .messageBelow, .lineUp, .lineDown, .codeLeft, .codeRight, .firstMessage,
      .lastMessage, .openMessage, .copyMessage, .saveFile, .viewPicture, .reactMessage,
      .deleteMessage, .retry, .loadMissing, .findOlder, .findNewer, .pinMessage, .forwardMessage,
      .leaveMessages:
      performInMessages(action)
    case .selectNext, .selectPrevious, .selectFirst, .selectLast, .open, .filter, .remove, .add,
      .rename:
      performInList(action)
    case .pin: shell.togglePin()
    case .moveUp: shell.moveConversation(by: -1)
    case .moveDown: shell.moveConversation(by: 1)
    case .widen: resizeSidebar(by: 2)
    case .narrow: resizeSidebar(by: -2)
    // Those of other lists, of the desktop and of the program.
    case .toggle, .valueBefore, .valueAfter, .sort, .refresh, .saveAs, .forward, .showInChat,
      .pause, .editFile, .dayOrNight, .tab1, .tab2, .tab3, .tab4, .tab5, .tab6, .nextTab,
      .nextAccount, .palette, .help, .toggleTheme, .connectNow, .redraw, .suspend, .quit,
      .answerScript:
      break
    }
    return .handled
  }

  /// The actions of its context that the focused pane performs; `nil`: all of them.
  package var acceptedActions: Set<KeyAction>? {
    switch focus.current {
    case .input, .messages: nil
    case .sidebar:
      .moves.union([
        .open, .filter, .add, .rename, .remove, .pin, .moveUp, .moveDown, .narrow, .widen,
      ])
    case .accounts: .moves.union([.open])
    case .request: RequestPane.actions
    case .details: shell.members.room == nil ? .moves : .moves.union([.open])
    }
  }

  package var keyTexts: String {
    switch focus.current {
    case .input, .messages, .sidebar, .request: ""
    case .accounts: "accounts"
    case .details: "members"
    }
  }

  private func performInInput(_ action: KeyAction) {
    switch action {
    // An invisible input is not sent: it is a line of the draft, and the next one begins.
    case .send where layout.tooSmall != nil, .sendAndNext where layout.tooSmall != nil:
      input.insertNewline()
    case .send: shell.submit()
    case .newLine: input.insertNewline()
    case .newLineOrRun:
      // Where letters are no text, a line end is none, either.
      if shell.input.isForOneLine || !input.takesText {
        shell.submit()
      } else {
        input.insertNewline()
      }
    case .complete:
      if shell.input.text.isEmpty { moveFocus(1) } else { shell.input.complete() }
    case .completeBack:
      if shell.input.completion == nil {
        moveFocus(-1)
      } else {
        shell.input.complete(backwards: true)
      }
    case .historyOlder: if !EditOnUp(shell).begins() { input.moveUp() }
    case .historyNewer: input.moveDown()
    case .sendAndNext: shell.submitAndRecallNext()
    default: break
    }
  }

  private func performInList(_ action: KeyAction) {
    if focus.current == .details {
      return shell.members.room == nil ? scrollPerson(action) : performInMembers(action)
    }
    if focus.current == .accounts { return performInAccounts(action) }
    // Without the focus, the list has no visible selection and no filter to type.
    if action == .filter || Set<KeyAction>.moves.contains(action), !focusSidebar() {
      return shell.show(StatusNotice(.info, "status.noSidebar"))
    }
    switch action {
    case .selectNext where isAtListEnd: enterAccounts(.min)
    case .selectLast where isAtListEnd: enterAccounts(.max)
    case .selectNext: shell.sidebar.moveSelection(1)
    case .selectPrevious: shell.sidebar.moveSelection(-1)
    case .selectFirst: shell.sidebar.moveSelection(.min)
    case .selectLast: shell.sidebar.moveSelection(.max)
    case .open: shell.openSelection()
    case .filter: shell.sidebar.beginFilter()
    case .remove: shell.removeSelection()
    case .add: shell.askForContact()
    case .rename: shell.renameSelection()
    default: break
    }
  }

  /// Gives the keys to the list of conversations; on a narrow screen it becomes the page.
  /// - Returns: whether it has them.
  private func focusSidebar() -> Bool {
    if layout.isPaged, preferences.page == .conversation { backToList() }
    focus.focus(.sidebar)
    updateFocus()
    return focus.current == .sidebar
  }

  private func scrollPerson(_ action: KeyAction) {
    switch action {
    case .selectNext: person.scroll(by: 1)
    case .selectPrevious: person.scroll(by: -1)
    case .selectFirst: person.scroll(by: .min)
    case .selectLast: person.scroll(by: .max)
    default: break
    }
  }

  private func performInMembers(_ action: KeyAction) {
    switch action {
    case .selectNext: shell.members.moveSelection(1)
    case .selectPrevious: shell.members.moveSelection(-1)
    case .selectFirst: shell.members.moveSelection(.min)
    case .selectLast: shell.members.moveSelection(.max)
    case .open: shell.openMember()
    default: break
    }
  }

  /// Shows or hides the occupants of the room, or the details of the contact, which are requested
  /// then. Above the conversation they have the focus while they are shown.
  func toggleDetails() {
    let isShown = layout.details != nil
    preferences.showsDetails = !isShown
    if layout.isPaged, preferences.page == .list { preferences.page = .conversation }
    layout = measure(size)
    updateFocus()
    if !isShown { askPerson() }
    if !isShown, size.columns < ScreenLayout.detailsWidth {
      focus.focus(.details)
    } else if focus.current != .input {
      focus.focus(.input)
    }
    updateFocus()
  }

  /// Requests the details of the contact beside the conversation.
  /// - Parameter isPassing: whether the way goes on behind it.
  private func askPerson(isPassing: Bool = false) {
    guard layout.details != nil, shell.members.room == nil else { return }
    personModel.show(shell.activeConversation)
    if isPassing { personModel.lookAfterMoment() } else { personModel.look() }
  }

  // On narrow screens the list is a page of its own, and part of the round.
  private func moveFocus(_ step: Int) {
    let edge = step > 0 ? focus.targets.last : focus.targets.first
    if layout.isPaged, preferences.page == .list {
      conversationOpened()
    } else if layout.isPaged, focus.current == edge {
      backToList()
    } else {
      focus.move(step)
    }
    if focus.current == .details { askPerson(isPassing: true) }
    updateFocus()
  }

  // Esc: the innermost thing that is open, then the input, then the list.
  private func cancel() {
    if shell.input.endCompletion() { return }
    if focus.current == .sidebar, shell.sidebar.endFilter() { return }
    // Over the conversation it is something open; beside it, it stays.
    if layout.details != nil, size.columns < ScreenLayout.detailsWidth { return toggleDetails() }
    if focus.current != .input, layout.input != nil { return focus.focus(.input) }
    if shell.endAim() { return }
    shell.status.clear()
    if layout.isPaged {
      if preferences.page == .conversation {
        backToList()
      } else if shell.activeConversation != nil {
        preferences.page = .conversation
      }
    }
  }

  func backToList() {
    preferences.page = .list
    layout = measure(size)
    focus.update([.sidebar])
    updateFocus()
  }

  /// Makes the sidebar wider or narrower, and has that kept.
  private func resizeSidebar(by columns: Int) {
    guard let sidebar = layout.sidebar, !layout.isPaged else {
      return shell.show(StatusNotice(.info, "status.noSidebar"))
    }
    setSidebarColumns(sidebar.size.columns + columns)
    rememberSidebarColumns()
  }

  private func rememberSidebarColumns() {
    shell.remember(widths.text, as: PreferenceKey.sidebarWidth)
  }

  func setSidebarColumns(_ columns: Int) {
    widths[size] = ScreenLayout.sidebarColumns(columns, on: size)
    layout = measure(size)
  }

  /// Takes hold of the sidebar's edge, drags it, lets it go.
  /// - Returns: whether the mouse was about that.
  func dragsEdge(_ mouse: MouseEvent) -> Bool {
    switch edge.take(mouse, side: layout.isPaged ? nil : layout.sidebar) {
    case .held: break
    case .moved(let columns): setSidebarColumns(columns)
    case .released: rememberSidebarColumns()
    case nil: return false
    }
    return true
  }

  private func toggleSidebar() {
    if layout.isPaged {
      if preferences.page == .list { conversationOpened() } else { backToList() }
    } else {
      preferences.showsSidebar = layout.sidebar == nil
    }
  }

  private func togglePlainView() {
    preferences.isPlain.toggle()
    shell.actions.setMouse(!preferences.isPlain)
    if preferences.isPlain {
      shell.show(StatusNotice(.info, "status.plainView"))
    } else {
      shell.status.clear()
    }
  }
}

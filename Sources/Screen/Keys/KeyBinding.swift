import Terminal
import Text

/// One keyboard action: its name, the keys that run it, and its description in help.
nonisolated package struct KeyBinding: Hashable, Sendable {
  /// The scope of a binding. The context of the focused pane is searched first, then `everywhere`;
  /// in text fields, `editing` after both.
  package enum Context: String, Hashable, Sendable, CaseIterable {
    case everywhere, input, editing, messages, list
  }

  package let action: KeyAction
  package let context: Context
  /// The keys that run it, each a sequence of presses; the first is shown in the hint bar.
  package let sequences: [[Key]]
  /// Indicates whether the hint bar shows it, when there is room.
  package let isHinted: Bool

  /// The key of its description in `Resources/locales`: `key.<action>`.
  package var descriptionKey: String { action.descriptionKey }
  /// The key of its short name for the hint bar in `Resources/locales`: `hint.<action>`.
  package var hintKey: String { "hint.\(action.rawValue)" }

  package init(
    _ action: KeyAction, in context: Context = .everywhere, hinted isHinted: Bool = false,
    keys sequences: [Key]...
  ) {
    self.init(action, in: context, hinted: isHinted, sequences: sequences)
  }

  /// - Parameter sequences: the first is shown in the hint bar.
  package init(
    _ action: KeyAction, in context: Context, hinted isHinted: Bool = false, sequences: [[Key]]
  ) {
    self.action = action
    self.context = context
    self.isHinted = isHinted
    self.sequences = sequences
  }

  /// This binding with further keys, `first` before the existing ones, `last` after them.
  func adding(first: [Key]? = nil, last: [Key]? = nil) -> KeyBinding {
    KeyBinding(
      action, in: context, hinted: isHinted,
      sequences: [first].compactMap { $0 } + sequences + [last].compactMap { $0 })
  }
}

/// The actions of keys; their names are those of keymap files.
nonisolated package enum KeyAction: String, Hashable, Sendable, CaseIterable {
  // Everywhere.
  case palette, nextAccount, tab1, tab2, tab3, tab4, tab5, tab6, nextTab
  case help, nextConversation, previousConversation, nextUnread, lastConversation
  case conversation1, conversation2, conversation3, conversation4, conversation5
  case conversation6, conversation7, conversation8, conversation9, conversation10
  case nextPane, previousPane, cancel, toggleSidebar, toggleDetails, plainView, toggleTheme,
    hideConversation, undoList, find, replyMessage, editMessage, links, pickFiles, splitBeside,
    splitStacked,
    otherConversation, growConversation, shrinkConversation
  case answerScript
  case pageUp, pageDown, newest, oldest, connectNow, redraw, suspend, interrupt, quit
  // The input line.
  case send, newLine, newLineOrRun, complete, completeBack, historyOlder, historyNewer,
    searchHistory, pickEmoji,
    editDraft
  // Text fields.
  case lineStart, lineEnd, backwardCharacter, forwardCharacter, backwardWord, forwardWord
  case deleteBackward, deleteForward, cutToBlank, cutWordBackward, cutWordForward, cutToLineStart,
    cutToLineEnd, yank, transpose, capitalizeWord, undo, redo
  // Actions of readline for which the program's own keys have no binding (`ui.keys`).
  case transposeWords, lowerWord, upperWord, revertLine, sendAndNext
  // The messages.
  case messageAbove, messageBelow, lineUp, lineDown, firstMessage, lastMessage, openMessage,
    copyMessage, saveFile, viewPicture, reactMessage, deleteMessage, retry, loadMissing, findOlder,
    findNewer, leaveMessages, codeLeft, codeRight, pinMessage, forwardMessage
  // Lists.
  case selectNext, selectPrevious, selectFirst, selectLast, open, filter, add, rename, remove
  case sort, refresh
  // Files in lists.
  case saveAs, forward, showInChat, pause, editFile
  // Themes in lists.
  case dayOrNight
  // Groups and values in lists.
  case toggle, valueBefore, valueAfter
  // The order and the width of the list of conversations.
  case pin, moveUp, moveDown, widen, narrow
}

extension KeyAction {
  /// The key of its description in `Resources/locales`: `key.<action>`.
  nonisolated package var descriptionKey: String { "key.\(rawValue)" }

  /// The description, where texts under `position` take precedence (`SubApp.keyTexts`).
  nonisolated package func description(at position: String, _ localizer: Localizer) -> String {
    let own = "key.\(position).\(rawValue)"
    return localizer(localizer.has(own) ? own : descriptionKey)
  }

  /// The actions that open the sub-apps, in the order of the tabs.
  nonisolated package static let tabs: [KeyAction] = [.tab1, .tab2, .tab3, .tab4, .tab5, .tab6]

  /// The action that opens a tab; `nil`: none does.
  nonisolated package static func opening(_ tab: SubAppTab) -> KeyAction? {
    tabs.indices.contains(tab.position - 1) ? tabs[tab.position - 1] : nil
  }

  /// The actions that open conversation 1 to 10, in order.
  nonisolated package static let conversationNumbers: [KeyAction] = [
    .conversation1, .conversation2, .conversation3, .conversation4, .conversation5,
    .conversation6, .conversation7, .conversation8, .conversation9, .conversation10,
  ]
}

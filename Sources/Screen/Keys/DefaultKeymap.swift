import Terminal

nonisolated extension KeyBindingTable {
  /// The keymap `natter` (interface.md, "Keys"), as far as its actions exist.
  ///
  /// Every Alt chord has a twin after `^X`, for terminals that send no Alt; it contains no chord
  /// that terminals cannot send (`Key.reach`).
  package static let natter = KeyBindingTable(
    everywhere + conversationNumbers + inputLine + editing + messages + lists)

  private static let everywhere: [KeyBinding] = [
    KeyBinding(.help, hinted: true, keys: [Key(.function(1))], twin("?")),
    KeyBinding(.palette, hinted: true, keys: [.control("o")], [.alt("x")], twin("x")),
    KeyBinding(.tab1, keys: [Key(.function(2))]),
    KeyBinding(.tab2, keys: [Key(.function(3))]),
    KeyBinding(.tab3, keys: [Key(.function(4))]),
    KeyBinding(.tab4, keys: [Key(.function(5))]),
    KeyBinding(.tab5, keys: [Key(.function(6))]),
    KeyBinding(.nextTab, keys: [.control("x"), Key(.tab)]),
    KeyBinding(.nextAccount, keys: [.alt("n")], twin("n")),
    KeyBinding(.nextUnread, hinted: true, keys: [.alt("a")], twin("a")),
    KeyBinding(.nextConversation, hinted: true, keys: [.control("n")], [Key(.down, .alt)]),
    KeyBinding(.previousConversation, keys: [.control("p")], [Key(.up, .alt)]),
    KeyBinding(.lastConversation, keys: [.alt("z")], twin("z")),
    KeyBinding(.nextPane, hinted: true, keys: [Key(.tab)], [Key(.function(7))]),
    KeyBinding(.previousPane, keys: [Key(.tab, .shift)]),
    KeyBinding(.cancel, keys: [.escape], [.control("g")]),
    KeyBinding(.toggleSidebar, keys: [.alt("s")], twin("s")),
    KeyBinding(.toggleDetails, keys: [.alt("m")], twin("m")),
    KeyBinding(.plainView, keys: [.alt("l")], twin("l")),
    KeyBinding(.toggleTheme, keys: [.alt("t")], twin("t")),
    KeyBinding(.hideConversation, keys: [.alt("w")], twin("w")),
    KeyBinding(.undoList, keys: [.alt("y")], twin("y")),
    KeyBinding(.find, keys: [.control("f")], twin("f")),
    KeyBinding(.replyMessage, keys: [.alt("r")], twin("r")),
    KeyBinding(.editMessage, keys: [.alt("e")], twin("e")),
    KeyBinding(.links, keys: twin("o")),
    KeyBinding(.pickFiles, hinted: true, keys: [.alt("u")], twin("u")),
    KeyBinding(.pickEmoji, keys: [.alt("i")], twin("i")),
    KeyBinding(.splitBeside, keys: twin("|")),
    KeyBinding(.splitStacked, keys: twin("-")),
    KeyBinding(.otherConversation, keys: [Key(.function(9))], twin(" ")),
    KeyBinding(.growConversation, keys: twin("}")),
    KeyBinding(.shrinkConversation, keys: twin("{")),
    KeyBinding(.pageUp, keys: [Key(.pageUp)]),
    KeyBinding(.pageDown, keys: [Key(.pageDown)]),
    KeyBinding(.newest, keys: [Key(.end)], [Key(.end, .control)], twin(">")),
    KeyBinding(.oldest, keys: [Key(.home)], [Key(.home, .control)], twin("<")),
    KeyBinding(.connectNow, keys: [.alt("k")], twin("k")),
    KeyBinding(.answerScript, keys: [.alt("g")], twin("g")),
    KeyBinding(.redraw, keys: [.control("l")]),
    KeyBinding(.suspend, keys: [.control("z")]),
    KeyBinding(.interrupt, keys: [.control("c")]),
    KeyBinding(.quit, hinted: true, keys: [.control("q")]),
  ]

  private static let conversationNumbers: [KeyBinding] = zip(
    KeyAction.conversationNumbers, "1234567890"
  ).map { action, digit in KeyBinding(action, keys: [.alt(digit)], twin(digit)) }

  private static let inputLine: [KeyBinding] = [
    KeyBinding(.send, in: .input, keys: [.enter]),
    KeyBinding(
      .newLine, in: .input, hinted: true, keys: [.control("j")], [Key(.enter, .alt)],
      [Key(.enter, .shift)], [Key(.enter, .control)]),
    KeyBinding(.complete, in: .input, keys: [Key(.tab)]),
    KeyBinding(.completeBack, in: .input, keys: [Key(.tab, .shift)]),
    KeyBinding(.historyOlder, in: .input, keys: [Key(.up)]),
    KeyBinding(.historyNewer, in: .input, keys: [Key(.down)]),
    KeyBinding(.searchHistory, in: .input, keys: [.control("r")]),
    KeyBinding(.editDraft, in: .input, keys: [.control("x"), .control("e")]),
  ]

  /// readline's keys. `^X f` is a find key: Alt+F has other alternatives.
  private static let editing: [KeyBinding] = [
    KeyBinding(.lineStart, in: .editing, keys: [.control("a")], [Key(.home)]),
    KeyBinding(.lineEnd, in: .editing, keys: [.control("e")], [Key(.end)]),
    KeyBinding(.backwardCharacter, in: .editing, keys: [Key(.left)], [.control("b")]),
    KeyBinding(.forwardCharacter, in: .editing, keys: [Key(.right)]),
    KeyBinding(
      .backwardWord, in: .editing, keys: [.alt("b")], [Key(.left, .control)], [Key(.left, .alt)],
      twin("b")),
    KeyBinding(
      .forwardWord, in: .editing, keys: [.alt("f")], [Key(.right, .control)], [Key(.right, .alt)]),
    KeyBinding(.deleteBackward, in: .editing, keys: [Key(.backspace)], [Key(.backspace, .control)]),
    KeyBinding(.deleteForward, in: .editing, keys: [Key(.delete)], [.control("d")]),
    KeyBinding(.cutToBlank, in: .editing, keys: [.control("w")]),
    KeyBinding(
      .cutWordBackward, in: .editing, keys: [Key(.backspace, .alt)],
      [.control("x"), Key(.backspace)]),
    KeyBinding(.cutWordForward, in: .editing, keys: [.alt("d")], twin("d")),
    KeyBinding(.cutToLineStart, in: .editing, keys: [.control("u")]),
    KeyBinding(.cutToLineEnd, in: .editing, keys: [.control("k")]),
    KeyBinding(.yank, in: .editing, keys: [.control("y")]),
    KeyBinding(.transpose, in: .editing, keys: [.control("t")]),
    KeyBinding(.capitalizeWord, in: .editing, keys: [.alt("c")], twin("c")),
    KeyBinding(.undo, in: .editing, keys: [.control("_")]),
    KeyBinding(.redo, in: .editing, keys: [.alt("_")], twin("_")),
  ]

  private static let messages: [KeyBinding] = [
    KeyBinding(.messageAbove, in: .messages, keys: [Key(.up)], [.character("k")]),
    KeyBinding(.messageBelow, in: .messages, hinted: true, keys: [Key(.down)], [.character("j")]),
    KeyBinding(.lineUp, in: .messages, keys: [.character("K")]),
    KeyBinding(.lineDown, in: .messages, keys: [.character("J")]),
    KeyBinding(.codeLeft, in: .messages, keys: [Key(.left)]),
    KeyBinding(.codeRight, in: .messages, keys: [Key(.right)]),
    KeyBinding(.firstMessage, in: .messages, keys: [.character("g")]),
    KeyBinding(.lastMessage, in: .messages, hinted: true, keys: [.character("G")]),
    KeyBinding(
      .openMessage, in: .messages, hinted: true, keys: [.character("o")], [.enter]),
    KeyBinding(.copyMessage, in: .messages, hinted: true, keys: [.character("y")]),
    KeyBinding(.saveFile, in: .messages, hinted: true, keys: [.character("s")]),
    KeyBinding(.viewPicture, in: .messages, hinted: true, keys: [.character("v")]),
    KeyBinding(.replyMessage, in: .messages, hinted: true, keys: [.character("r")]),
    KeyBinding(.editMessage, in: .messages, hinted: true, keys: [.character("e")]),
    KeyBinding(.reactMessage, in: .messages, hinted: true, keys: [.character("+")]),
    KeyBinding(
      .deleteMessage, in: .messages, hinted: true, keys: [.character("d")], [Key(.delete)]),
    KeyBinding(.pinMessage, in: .messages, keys: [.character("p")]),
    KeyBinding(.forwardMessage, in: .messages, keys: [.character("f")]),
    KeyBinding(.retry, in: .messages, hinted: true, keys: [.character("R")]),
    KeyBinding(.loadMissing, in: .messages, keys: [.character("m")]),
    KeyBinding(.find, in: .messages, keys: [.character("/")]),
    KeyBinding(.findOlder, in: .messages, keys: [.character("n")]),
    KeyBinding(.findNewer, in: .messages, keys: [.character("N")]),
    KeyBinding(.leaveMessages, in: .messages, keys: [.character("i")], [.character(">")]),
    KeyBinding(.help, in: .messages, keys: [.character("?")]),
  ]

  private static let lists: [KeyBinding] = [
    KeyBinding(.open, in: .list, hinted: true, keys: [.enter]),
    KeyBinding(.selectPrevious, in: .list, keys: [Key(.up)], [.character("k")]),
    KeyBinding(.selectNext, in: .list, hinted: true, keys: [Key(.down)], [.character("j")]),
    KeyBinding(.selectFirst, in: .list, keys: [.character("g")], [Key(.home)]),
    KeyBinding(.selectLast, in: .list, keys: [.character("G")], [Key(.end)]),
    KeyBinding(.filter, in: .list, hinted: true, keys: [.character("/")]),
    KeyBinding(.add, in: .list, hinted: true, keys: [.character("a")]),
    KeyBinding(.rename, in: .list, keys: [.character("r")]),
    KeyBinding(.saveAs, in: .list, hinted: true, keys: [.character("w")]),
    KeyBinding(.forward, in: .list, hinted: true, keys: [.character("f")]),
    KeyBinding(.showInChat, in: .list, hinted: true, keys: [.character("c")]),
    KeyBinding(.pause, in: .list, hinted: true, keys: [.character("p")]),
    KeyBinding(.viewPicture, in: .list, hinted: true, keys: [.character("v")]),
    KeyBinding(.editFile, in: .list, hinted: true, keys: [.character("e")]),
    KeyBinding(.dayOrNight, in: .list, hinted: true, keys: [.character("d")]),
    KeyBinding(.toggle, in: .list, keys: [.character(" ")]),
    KeyBinding(.valueBefore, in: .list, keys: [Key(.left)], [.character("h")]),
    KeyBinding(.valueAfter, in: .list, hinted: true, keys: [Key(.right)], [.character("l")]),
    KeyBinding(.remove, in: .list, hinted: true, keys: [Key(.delete)]),
    KeyBinding(.sort, in: .list, hinted: true, keys: [.character("s")]),
    KeyBinding(.refresh, in: .list, hinted: true, keys: [.character("u")]),
    KeyBinding(.pin, in: .list, keys: [.character("*")]),
    KeyBinding(.moveUp, in: .list, keys: [.character("K")]),
    KeyBinding(.moveDown, in: .list, keys: [.character("J")]),
    KeyBinding(.narrow, in: .list, keys: [.character("<")]),
    KeyBinding(.widen, in: .list, keys: [.character(">")]),
    KeyBinding(.help, in: .list, keys: [.character("?")]),
  ]

  /// `^X` and then `character`.
  private static func twin(_ character: Character) -> [Key] {
    [.control("x"), .character(character)]
  }
}

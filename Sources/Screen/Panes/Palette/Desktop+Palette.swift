import Keys
import NatterCore
import Terminal
import Text
import ViewModels

// The entries of the palette.
extension Desktop {
  /// The message actions that concern the selection or the visible rows: offered while the messages
  /// have the focus.
  nonisolated private static let ofSelection: Set<KeyAction> = [
    .messageAbove, .messageBelow, .lineUp, .lineDown, .codeLeft, .codeRight, .firstMessage,
    .lastMessage, .leaveMessages,
  ]

  /// The actions on the list of conversations that are useful whichever pane has the focus.
  nonisolated private static let ofConversations: Set<KeyAction> = [
    .pin, .moveUp, .moveDown, .narrow, .widen,
  ]

  /// Returns whether an action is useful now: an action of a list or a text field while that has
  /// the focus and performs it, an action on conversations and messages in Chats.
  private func offers(_ action: KeyAction) -> Bool {
    // The conversations are listed by their names.
    if action == .palette || KeyAction.conversationNumbers.contains(action) { return false }
    let contexts = action.contexts
    let isChats = openID == .chats
    if isChats, !chats.takes(action) { return false }
    if contexts.contains(.everywhere) { return isChats || !ChatsFactory.own.contains(action) }
    if isChats, contexts.contains(.messages), !Self.ofSelection.contains(action) { return true }
    if isChats, Self.ofConversations.contains(action) { return true }
    if context == .input, contexts.contains(.editing) { return true }
    return contexts.contains(context) && acceptedActions?.contains(action) != false
  }

  /// Creates the palette with all entries in the order of preference: conversations, contacts,
  /// hidden conversations, actions.
  /// - Parameters:
  ///   - bindings: the keys that are shown beside the actions.
  ///   - perform: runs an action as its key would.
  func makePalette(
    bindings: KeyBindingTable, perform: @escaping (KeyAction) -> Void
  ) -> PaletteViewModel {
    let spelling = KeySpelling(localizer: shell.format.localizer)
    let conversations = shell.paletteConversations(numberKey: { number in
      KeyAction.conversationNumbers.indices.contains(number - 1)
        ? keys(of: KeyAction.conversationNumbers[number - 1], bindings, spelling) : ""
    })
    return PaletteViewModel(
      entries: conversations, lazy: shell.paletteContacts,
      more: shell.paletteHidden + paletteActions(bindings: bindings, perform: perform),
      memory: paletteMemory, localizer: shell.format.localizer,
      fallback: { [weak self] in self?.shell.paletteFallback($0) ?? [] })
  }

  /// The entries of actions and commands.
  func paletteActions(
    bindings: KeyBindingTable, perform: @escaping (KeyAction) -> Void
  ) -> [PaletteEntry] {
    let localizer = shell.format.localizer
    let spelling = KeySpelling(localizer: localizer)
    let names = Dictionary(
      tabs.map { ($0.position, $0.name(localizer)) }, uniquingKeysWith: { first, _ in first })
    var seen: Set<KeyAction> = []
    // Actions without a key are listed all the same.
    let all =
      (bindings.bindings as [KeyBinding]).map { ($0.action, $0.sequences.first) }
      + KeyAction.allCases.map { ($0, nil) }
    let actions = all.compactMap { action, sequence -> PaletteEntry? in
      guard seen.insert(action).inserted, offers(action) else { return nil }
      // A list has its own descriptions of what its keys do.
      var title = action.description(at: context == .list ? keyTexts : "", localizer)
      if let position = KeyAction.tabs.firstIndex(of: action) {
        guard let name = names[position + 1] else { return nil }
        title = localizer("palette.tab", ["name": name])
      }
      return PaletteEntry(
        id: "action \(action.rawValue)", kind: .action, title: title.capitalizedFirst,
        keys: sequence.map { spelling($0) } ?? "",
        keywords: localizer.synonyms(of: action.descriptionKey)
      ) { perform(action) }
    }
    let terms = shell.commands.searchTerms(localizer)
    let offered = shell.commands.all.filter { $0.texts?.isInPalette != false }
    let commands = offered.map { command in
      PaletteEntry(
        id: "command \(command.name)", kind: .command, title: localizer.usage(of: command),
        detail: localizer.summary(of: command), keywords: terms[command.name] ?? ""
      ) { [weak self] in
        guard let self else { return }
        open(.chats)
        shell.runFromPalette(command)
      }
    }
    return actions + commands + moreEntries()
  }

  private func keys(of action: KeyAction, _ table: KeyBindingTable, _ spelling: KeySpelling)
    -> String
  {
    table.bindings.first { $0.action == action }?.sequences.first.map { spelling($0) } ?? ""
  }
}

extension String {
  /// The text with its first letter in upper case, for a line of its own.
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

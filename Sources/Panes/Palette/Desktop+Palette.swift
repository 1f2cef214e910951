import NatterCore
import Terminal
import ViewModels

// What the palette finds.
extension Desktop {
  /// Those of the messages that are about the selected one, or the rows in sight: there while the messages have the keys.
  nonisolated private static let ofSelection: Set<KeyAction> = [
    .messageAbove, .messageBelow, .lineUp, .lineDown, .codeLeft, .codeRight, .firstMessage,
    .lastMessage, .leaveMessages,
  ]

  /// Those about the list of conversations that are of use whatever has the keys beside it.
  nonisolated private static let ofConversations: Set<KeyAction> = [
    .pin, .moveUp, .moveDown, .narrow, .widen,
  ]

  /// Whether an action is of use now: what belongs to a list or to the text is while that has the keys and takes it, what belongs
  /// to conversations and messages in Chats.
  private func offers(_ action: KeyAction) -> Bool {
    // The conversations are there by their names.
    if action == .palette || KeyAction.conversationNumbers.contains(action) { return false }
    let places = action.contexts
    let isChats = openID == .chats
    if isChats, !chats.takes(action) { return false }
    if places.contains(.everywhere) { return isChats || !ChatsFactory.own.contains(action) }
    if isChats, places.contains(.messages), !Self.ofSelection.contains(action) { return true }
    if isChats, Self.ofConversations.contains(action) { return true }
    if context == .input, places.contains(.editing) { return true }
    return places.contains(context) && acceptedActions?.contains(action) != false
  }

  /// Has everything there is to go to and to do, in the order of preference: conversations, contacts, what is hidden, what can be
  /// done.
  /// - Parameters:
  ///   - bindings: the keys that are shown beside what they do.
  ///   - perform: does an action as its key would.
  func makePalette(
    bindings: KeyBindingTable, perform: @escaping (KeyAction) -> Void
  ) -> PaletteViewModel {
    let spelling = KeySpelling(localizer: shell.format.localizer)
    let conversations = shell.paletteConversations(numberKey: { number in
      KeyAction.conversationNumbers.indices.contains(number - 1)
        ? keys(of: KeyAction.conversationNumbers[number - 1], bindings, spelling) : ""
    })
    return PaletteViewModel(
      entries: conversations, shelf: shell.paletteContacts,
      more: shell.paletteHidden + paletteDeeds(bindings: bindings, perform: perform),
      memory: paletteMemory, localizer: shell.format.localizer,
      fallback: { [weak self] in self?.shell.paletteFallback($0) ?? [] })
  }

  /// What can be done.
  func paletteDeeds(
    bindings: KeyBindingTable, perform: @escaping (KeyAction) -> Void
  ) -> [PaletteEntry] {
    let localizer = shell.format.localizer
    let spelling = KeySpelling(localizer: localizer)
    let names = Dictionary(
      tabs.map { ($0.place, $0.name(localizer)) }, uniquingKeysWith: { first, _ in first })
    let words = { (key: String) in localizer.has(key) ? localizer(key) : "" }
    var seen: Set<KeyAction> = []
    // What is on no key is there all the same.
    let all =
      (bindings.bindings as [KeyBinding]).map { ($0.action, $0.sequences.first) }
      + KeyAction.allCases.map { ($0, nil) }
    let actions = all.compactMap { action, sequence -> PaletteEntry? in
      guard seen.insert(action).inserted, offers(action) else { return nil }
      // What a list does on a key is its own.
      var title = action.description(at: context == .list ? keyWords : "", localizer)
      if let place = KeyAction.tabs.firstIndex(of: action) {
        guard let name = names[place + 1] else { return nil }
        title = localizer("palette.tab", ["name": name])
      }
      return PaletteEntry(
        id: "action \(action.rawValue)", kind: .action, title: title.capitalizedFirst,
        keys: sequence.map { spelling($0) } ?? "",
        words: words("key.\(action.rawValue).words")
      ) { perform(action) }
    }
    let otherNames = shell.commands.otherNames
    let commands = shell.commands.commands.map { command in
      PaletteEntry(
        id: "command \(command.name)", kind: .command, title: localizer(command.usageKey),
        detail: localizer(command.summaryKey),
        words: ([words("command.\(command.name).words")] + (otherNames[command.name] ?? []))
          .joined(separator: " ")
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
  /// With a capital at the beginning, as a line of its own has.
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

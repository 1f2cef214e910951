import NatterCore
import Terminal
import ViewModels

// What the palette finds.
extension Desktop {
  /// The actions that make no sense from a list of them: they are about the keys that were just pressed.
  nonisolated static let unlistedActions: Set<KeyAction> = [
    .cancel, .interrupt, .send, .newLine, .newLineOrRun, .complete, .completeBack, .historyOlder,
    .historyNewer, .messageAbove, .messageBelow, .lineUp, .lineDown, .codeLeft, .codeRight,
    .firstMessage, .lastMessage,
    .leaveMessages, .selectNext,
    .selectPrevious, .selectFirst, .selectLast, .open, .filter, .add, .rename, .remove, .sort,
    .refresh,
    .toggle,
    .valueBefore, .valueAfter, .forwardCharacter, .transposeWords, .lowerWord, .upperWord,
    .revertLine, .sendAndNext,
  ]

  /// Everything there is to go to and to do, in the order of preference.
  /// - Parameters:
  ///   - bindings: the keys that are shown beside what they do.
  ///   - perform: does an action as its key would.
  func paletteEntries(
    bindings: KeyBindingTable, perform: @escaping (KeyAction) -> Void
  ) -> [PaletteEntry] {
    let localizer = shell.format.localizer
    let spelling = KeySpelling(localizer: localizer)
    let names = Dictionary(
      tabs.map { ($0.place, localizer($0.titleKey)) }, uniquingKeysWith: { first, _ in first })
    let words = { (key: String) in localizer.has(key) ? localizer(key) : "" }
    let conversations = shell.palettePeople(numberKey: { number in
      KeyAction.conversationNumbers.indices.contains(number - 1)
        ? keys(of: KeyAction.conversationNumbers[number - 1], bindings, spelling) : ""
    })
    var seen: Set<KeyAction> = []
    let actions = (bindings.bindings as [KeyBinding]).compactMap { binding -> PaletteEntry? in
      let action = binding.action
      guard action != .palette, !Self.unlistedActions.contains(action),
        !KeyAction.conversationNumbers.contains(action), seen.insert(action).inserted
      else { return nil }
      var title = localizer(binding.descriptionKey)
      if let place = KeyAction.tabs.firstIndex(of: action) {
        guard let name = names[place + 1] else { return nil }
        title = localizer("palette.tab", ["name": name])
      }
      return PaletteEntry(
        id: "action \(action.rawValue)", kind: .action, title: title.capitalizedFirst,
        keys: binding.sequences.first.map { spelling($0) } ?? "",
        words: words("key.\(action.rawValue).words")
      ) { perform(action) }
    }
    let commands = shell.commands.commands.map { command in
      PaletteEntry(
        id: "command \(command.name)", kind: .command, title: localizer(command.usageKey),
        detail: localizer(command.summaryKey), words: words("command.\(command.name).words")
      ) { [weak self] in
        guard let self else { return }
        open(.chats)
        shell.runFromPalette(command)
      }
    }
    return conversations + actions + commands + moreEntries()
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

import FoundationEssentials
import NatterCore
import Text

// Lists that put something into the input: what was typed before, emoji.
extension ShellViewModel {
  /// Looks through what was typed in this conversation, the last first.
  package func searchHistory() {
    let input = input
    let lines = input.typedLines
    guard !lines.isEmpty else { return show(StatusNotice(.info, "status.noHistory")) }
    actions.showList(
      PaletteViewModel(
        entries: lines.enumerated().map { index, line in
          PaletteEntry(
            id: "\(index)", kind: .setting, title: format.shown(ErrorText.oneLine(line))
          ) { input.recall(typed: line) }
        }, memory: RecentChoices(), localizer: format.localizer,
        texts: texts("history.title", "history.hint")))
  }

  /// Lists all emoji, those picked last before the others, and puts one where the cursor is.
  package func pickEmoji() {
    pickEmoji { [input] in input.insert($0) }
  }

  /// The same, to do something else with it.
  func pickEmoji(_ take: @escaping (String) -> Void) {
    actions.showList(
      PaletteViewModel(
        entries: format.emojiNames.byUse.map { emoji, names in
          let words = names.map { $0.replacing("_", with: " ") }
          return PaletteEntry(
            id: emoji, kind: .setting,
            title: format.shown(emoji) == emoji
              ? emoji + "  " + (words.first ?? "") : words.first ?? "",
            detail: words.dropFirst().joined(separator: ", ")
          ) { take(emoji) }
        }, memory: pickedEmoji, localizer: format.localizer,
        texts: texts("emoji.title", "emoji.hint")))
  }

  private func texts(_ title: String, _ hint: String) -> PaletteTexts {
    PaletteTexts(
      title: format.localizer(title), hint: format.localizer(hint),
      nothing: format.localizer("palette.notListed"))
  }

  /// Has the emoji that are picked be there again at the next start.
  func rememberEmoji() {
    readPreferences { [pickedEmoji] in pickedEmoji.recall($0[PreferenceKey.emoji] ?? "") }
    pickedEmoji.onChange = { [weak self] in self?.remember($0.text, as: PreferenceKey.emoji) }
  }
}

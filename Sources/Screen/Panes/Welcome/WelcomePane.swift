import Keys
import Terminal
import Text
import ViewModels

/// Guide, sign-in and registration, whichever is the current step (interface.md, "Screens").
package enum WelcomePane {
  /// A pane that draws the current form of `viewModel`, alone on the screen.
  package static func make(
    viewModel: WelcomeViewModel, glyphs: Glyphs, localizer: Localizer
  ) -> FormPane {
    // The pages of the guide have one size, so that nothing jumps when the page changes.
    FormPane(
      comfortable: { [viewModel] in
        viewModel.step == .guide ? Size(rows: 22, columns: 72) : Size(rows: 18, columns: 66)
      }, hidesOthers: true, glyphs: glyphs, localizer: localizer
    ) { [viewModel] in
      viewModel.form
    }
  }

  /// The keys that the guide's first page names, as they are bound.
  package static func keyNames(
    bindings: KeyBindingTable, tabs: [SubAppTab], localizer: Localizer
  ) -> OnboardingViewModel.KeyNames {
    let bindings = bindings.reaching(tabs)
    let spelling = KeySpelling(localizer: localizer)
    func name(_ action: KeyAction) -> String {
      bindings.bindings.first { $0.action == action }?.sequences.first.map { spelling($0) } ?? ""
    }
    return OnboardingViewModel.KeyNames(
      help: name(.help), palette: name(.palette), quit: name(.quit),
      tabs: Dictionary(
        tabs.map { ($0.id, KeyAction.opening($0).map(name) ?? "") },
        uniquingKeysWith: { first, _ in first }))
  }

  /// The keys to practise in the guide, the three of its first page, from the current keymap.
  package static func practices(
    bindings: KeyBindingTable, localizer: Localizer,
    actions: [KeyAction] = [.help, .palette, .quit]
  ) -> [OnboardingViewModel.Practice] {
    let spelling = KeySpelling(localizer: localizer)
    return actions.compactMap { action in
      guard let binding = bindings.bindings.first(where: { $0.action == action }),
        let key = binding.sequences.first(where: { $0.count == 1 })
      else { return nil }
      return OnboardingViewModel.Practice(
        key: spelling(key), meaning: localizer(binding.descriptionKey))
    }
  }
}

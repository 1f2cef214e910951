import Panes
import ViewModels

/// The keys that the guide has a newcomer try.
enum GuidePractices {
  static func all(bindings: KeyBindingTable, localizer: Localizer) -> [OnboardingViewModel.Practice]
  {
    let spelling = KeySpelling(localizer: localizer)
    return [KeyAction.help, .nextUnread, .quit].compactMap { action in
      guard let binding = bindings.bindings.first(where: { $0.action == action }),
        let keys = binding.sequences.first
      else { return nil }
      return OnboardingViewModel.Practice(
        key: spelling(keys), meaning: localizer(binding.descriptionKey))
    }
  }
}

import NatterCore
import Text

/// The reason why Natter cannot start, as a box with the possible actions, which the composition
/// root performs.
nonisolated package enum StartupDialog {
  /// The user's choice; the dialog's buttons have these as ids.
  package enum Choice: String, Hashable, Sendable, CaseIterable {
    case quit, retry
    /// The other Natter process ends, this one continues.
    case takeOver
    /// The unusable file is renamed, and an empty one is created.
    case setAside
  }

  /// Returns the box for `error`: its sentence, and the appropriate buttons. The safe one has the
  /// focus.
  package static func dialog(for error: NatterError, localizer: Localizer) -> Dialog {
    let text = localizer(error.key, error.arguments.mapValues(ErrorText.oneLine))
    let quit = Dialog.Button(Choice.quit.rawValue, localizer("startup.quit"))
    let retry = Dialog.Button(Choice.retry.rawValue, localizer("startup.retry"))
    switch error.key {
    case "error.storage.lockedBy":
      return Dialog(
        title: localizer("startup.lockedTitle"), level: .question,
        lines: [.text(text), .blank, .text(localizer("startup.lockedAsk"))],
        buttons: [
          quit, Dialog.Button(Choice.takeOver.rawValue, localizer("startup.takeOver")),
        ], safe: quit.id)
    case "error.storage.damaged", "error.storage.development", "error.storage.foreign":
      let isDamaged = error.key == "error.storage.damaged"
      return Dialog(
        title: localizer(isDamaged ? "startup.damagedTitle" : "startup.title"), level: .error,
        lines: [.text(text), .blank, .text(localizer("startup.damagedAsk"))],
        buttons: [
          quit, Dialog.Button(Choice.setAside.rawValue, localizer("startup.setAside")),
        ], safe: quit.id)
    default:
      return Dialog(
        title: localizer("startup.title"), level: .error, lines: [.text(text)],
        buttons: error.retry == .never ? [quit] : [retry, quit], safe: retry.id)
    }
  }

  /// Returns the same box with its actions; Esc means `quit`.
  @MainActor package static func viewModel(
    for error: NatterError, localizer: Localizer, onChoice: @escaping (Choice) -> Void
  ) -> DialogViewModel {
    DialogViewModel(
      dialog(for: error, localizer: localizer),
      onPress: { Choice(rawValue: $0).map(onChoice) }, onCancel: { onChoice(.quit) })
  }
}

import NatterCore
import Text

/// Stores the input of a form that the user has submitted.
struct PromptWriting {
  let shell: ShellViewModel
  let prompt: PromptViewModel

  private final class Progress { var isStored = false }

  /// Runs `work` in the background, and reports its error. The form, which has closed, comes back
  /// with its input if that could not be stored.
  /// - Parameter work: calls its argument once the input is stored.
  func perform(
    _ work: @escaping @MainActor (@escaping @MainActor () -> Void) async throws -> Void
  ) {
    let progress = Progress()
    shell.perform(nil) { [shell, prompt] in
      do {
        try await work { progress.isStored = true }
      } catch {
        if !progress.isStored, !(error is CancellationError) {
          let text = shell.format.localizer(
            NatterError(reporting: error, key: "error.unexpected").notice)
          prompt.reopen(FormMessage(.error, [text]), with: shell.actions.showForm)
        }
        throw error
      }
    }
  }
}

import Diagnostics
import FoundationEssentials
import Glibc
import NatterCore
import Panes
import System
import TerminalNcurses
import Text
import ViewModels

// The user's own editor, for the input.
extension FullScreen {
  /// Has `text` changed in $VISUAL or $EDITOR, which gets the terminal as long as it runs.
  /// - Parameter done: stores the text; its error is shown, with the file that still has the text.
  func edit(_ text: String, _ done: @escaping (Result<String, any Error>) throws -> Void) {
    guard let editor else {
      return take(.failure(NatterError(.invalidInput, "error.noEditor")), done)
    }
    begin {
      let result: EditorResult
      do {
        result = .success(
          try await self.terminal.edit(text, with: editor, in: self.context.paths.runtime))
      } catch let failure as Suspension.Failure {
        result = .failure(failure.natterError(editor: editor))
      } catch {
        self.context.log.error("the editor: \(error)")
        result = .failure(NatterError(.unexpected, "error.editor", ["editor": editor]))
      }
      // Another program has had the screen, and its window may have another size.
      self.coordinator?.screenDidResize()
      self.take(result, done)
    }
  }

  private func take(
    _ result: EditorResult, _ done: (Result<String, any Error>) throws -> Void
  ) {
    guard let error = result.error(storing: done, localizer) else { return }
    accountScreen?.shell.show(error.notice)
  }

  /// The editor that the environment names, or else one that most machines have.
  private var editor: String? {
    for variable in ["VISUAL", "EDITOR"] {
      if let named = context.environment[variable], !named.allSatisfy(\.isWhitespace) {
        return named
      }
    }
    return ["editor", "nano", "vi"].first {
      OtherProgram($0, [], environment: context.environment) != nil
    }
  }
}

extension Suspension.Failure {
  /// The error for the user: the draft is as it was.
  fileprivate func natterError(editor: String) -> NatterError {
    switch self {
    case .notStarted, .exited(127), .exited(126):
      NatterError(.invalidInput, "error.editorMissing", ["editor": editor])
    case .exited, .signalled: NatterError(.unexpected, "error.editor", ["editor": editor])
    }
  }
}

private typealias EditorResult = Result<Suspension.EditedText, any Error>

extension EditorResult {
  /// Has the text stored, and removes its file then.
  /// - Returns: the error for the user, which names the file that still has the text.
  fileprivate func error(
    storing store: (Result<String, any Error>) throws -> Void, _ localizer: Localizer
  ) -> NatterError? {
    let edited = try? get()
    do {
      try store(map(\.text))
      edited?.removeFile()
      return nil
    } catch {
      let error = NatterError(reporting: error, key: "error.unexpected")
      guard let path = edited?.file?.path else { return error }
      return NatterError(
        .storage, "error.editedLeft", ["reason": localizer(error), "path": path])
    }
  }
}

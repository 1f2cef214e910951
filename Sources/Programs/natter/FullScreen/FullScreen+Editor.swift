import Diagnostics
import FoundationEssentials
import Glibc
import NatterCore
import Panes
import System
import TerminalNcurses

// The user's own editor, for the input.
extension FullScreen {
  /// Has `text` changed in $VISUAL or $EDITOR, which gets the terminal as long as it runs.
  func edit(_ text: String, _ done: @escaping (Result<String, any Error>) -> Void) {
    guard let editor else {
      return done(.failure(NatterError(.invalidInput, "error.noEditor")))
    }
    begin {
      let result: Result<String, any Error>
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
      done(result)
    }
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

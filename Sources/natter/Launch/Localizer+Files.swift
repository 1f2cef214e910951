import TOML
import ViewModels

extension Localizer {
  /// What is wrong in a file, in one line.
  nonisolated func callAsFunction(_ problem: FileProblem) -> String {
    problem.text { self($0, $1) }
  }
}

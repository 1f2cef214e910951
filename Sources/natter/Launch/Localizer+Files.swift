import TOML
import Terminal
import ViewModels

extension Localizer {
  /// What is wrong in a file, in one line.
  nonisolated func callAsFunction(_ problem: FileProblem) -> String {
    problem.text { self($0, $1) }
  }

  /// The columns that the terminal gives to what terminals disagree about.
  nonisolated func list(of widths: WidthProbe) -> String {
    list(
      WidthProbe.disputed.map { self("about.width.\($0)") + " \(widths[$0] ?? 0)" })
  }
}

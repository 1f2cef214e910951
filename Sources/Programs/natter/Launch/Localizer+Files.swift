import TOML
import Terminal
import Text
import ViewModels

extension Localizer {
  /// A mistake in a file, in one line.
  nonisolated func callAsFunction(_ problem: FileProblem) -> String {
    problem.text { self($0, $1) }
  }

  /// The widths that the terminal uses for the characters on which terminals differ.
  nonisolated func list(of widths: WidthProbe) -> String {
    list(
      WidthProbe.disputed.map { self("about.width.\($0)") + " \(widths[$0] ?? 0)" })
  }
}

/// What is wrong with a line of a file, in words for its author.
package struct TOMLError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line, counted from 1.
  package var line: Int
  /// What is wrong, without a full stop: `the string does not end`.
  package var problem: String
  /// What to do about it, a sentence; empty if `problem` says it all.
  package var advice: String

  package init(line: Int, problem: String, advice: String = "") {
    self.line = line
    self.problem = problem
    self.advice = advice
  }

  /// `line 12: the string does not end. Put " at its end.`
  package var description: String { "line \(line): \(text)" }

  /// `config.toml:12: the string does not end. Put " at its end.`
  package func description(in file: String) -> String { "\(file):\(line): \(text)" }

  private var text: String { advice.isEmpty ? problem : "\(problem). \(advice)" }
}

/// What is wrong with a line of a file, for its author.
package struct TOMLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, counted from 1.
  package var line: Int
  /// What is wrong, and what to do about it.
  package var sentences: [LocalizableText]

  package init(line: Int, _ sentences: LocalizableText...) {
    self.line = line
    self.sentences = sentences
  }

  /// The same as something that is wrong in `file`.
  package func problem(in file: String) -> FileProblem {
    FileProblem(file: file, line: line, sentences)
  }

  /// For a log: `line 12: mistake.toml.unclosedString`.
  package var description: String {
    "line \(line): " + sentences.map(\.key).joined(separator: ", ")
  }
}

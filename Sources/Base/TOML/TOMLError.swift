/// An error in a line of a file, for its author.
package struct TOMLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, counted from 1.
  package var line: Int
  /// The error, and how to correct it.
  package var sentences: [LocalizableText]

  package init(line: Int, _ sentences: LocalizableText...) {
    self.line = line
    self.sentences = sentences
  }

  /// Returns the error as a problem of `file`.
  package func problem(in file: String) -> FileProblem {
    FileProblem(file: file, line: line, sentences)
  }

  /// For a log: `line 12: mistake.toml.unclosedString`.
  package var description: String {
    "line \(line): " + sentences.map(\.key).joined(separator: ", ")
  }
}

/// A problem in a file, or with the file itself, for its author.
package struct FileProblem: Hashable, Sendable {
  /// The name of the file for display.
  package let file: String
  /// Counted from 1; `nil`: the file as a whole.
  package let line: Int?
  /// The problem, and its consequence or remedy. They may quote the file: they have to be made safe
  /// for display.
  package let sentences: [LocalizableText]

  package init(file: String, line: Int?, _ sentences: [LocalizableText]) {
    self.file = file
    self.line = line
    self.sentences = sentences
  }

  /// The problem without its consequence, for callers that handle it differently.
  package var withoutRemedy: FileProblem {
    FileProblem(file: file, line: line, Array(sentences.prefix(1)))
  }

  /// `config.toml:12: theme "nigth" is unknown, did you mean "night"? Using "auto".`
  package func text(_ texts: LocalizableText.Texts) -> String {
    let reported = sentences.map { $0.text(texts) }
    let joined = reported.dropFirst().reduce(reported.first ?? "") {
      // Not every language separates sentences by a space.
      texts("mistake.both", ["first": $0, "second": $1])
    }
    return file + (line.map { ":\($0)" } ?? "") + ": " + joined
  }
}

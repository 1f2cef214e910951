/// What is wrong in a file, or with it, for the person who wrote it.
package struct FileProblem: Hashable, Sendable {
  /// The file, as it is to be called.
  package let file: String
  /// Counted from 1; `nil`: the file as a whole.
  package let line: Int?
  /// What is wrong and what is done or to be done about it. They may quote the file: to be shown made safe.
  package let sentences: [LocalizableText]

  package init(file: String, line: Int?, _ sentences: [LocalizableText]) {
    self.file = file
    self.line = line
    self.sentences = sentences
  }

  /// What is wrong, without what is done about it: where something else is.
  package var withoutRemedy: FileProblem {
    FileProblem(file: file, line: line, Array(sentences.prefix(1)))
  }

  /// `config.toml:12: theme "nigth" is unknown, did you mean "night"? Using "auto".`
  package func text(_ texts: LocalizableText.Texts) -> String {
    let told = sentences.map { $0.text(texts) }
    let joined = told.dropFirst().reduce(told.first ?? "") {
      // Not every language puts a blank between two.
      texts("mistake.both", ["first": $0, "second": $1])
    }
    return file + (line.map { ":\($0)" } ?? "") + ": " + joined
  }
}

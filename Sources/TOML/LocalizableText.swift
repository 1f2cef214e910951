/// One sentence, or two that belong together, about a file: in no language yet.
///
/// It has the key of its text in `Resources/locales` and what the text's placeholders stand for. Nothing is looked
/// up when it is made, so that a file that is read at start costs no texts; where it is shown it is put into words.
package struct LocalizableText: Hashable, Sendable {
  /// What a placeholder stands for.
  package enum Word: Hashable, Sendable {
    /// These signs, in every language: what the file says, or must say.
    case verbatim(String)
    /// The text of this key.
    case named(String)
  }

  /// Gives the text of a key, its placeholders filled with the arguments.
  package typealias Texts = (_ key: String, _ arguments: [String: String]) -> String

  package let key: String
  package let words: [String: Word]

  package init(_ key: String, _ words: [String: Word] = [:]) {
    self.key = key
    self.words = words
  }

  /// The sentence in the language of `texts`.
  package func text(_ texts: Texts) -> String {
    texts(
      key,
      words.mapValues { word in
        switch word {
        case .verbatim(let text): text
        case .named(let key): texts(key, [:])
        }
      })
  }
}

/// A sentence about a file, or two connected ones, independent of the language.
///
/// It has the key of its text in `Resources/locales` and the values of the text's placeholders. The
/// text is looked up only for display, so that reading a file at start loads no texts.
package struct LocalizableText: Hashable, Sendable {
  /// The value of a placeholder.
  package enum Word: Hashable, Sendable {
    /// These characters, in every language: a part of the file, or of its syntax.
    case verbatim(String)
    /// The text of this key.
    case named(String)
  }

  /// Returns the text of a key, with its placeholders replaced by the arguments.
  package typealias Texts = (_ key: String, _ arguments: [String: String]) -> String

  package let key: String
  package let arguments: [String: Word]

  package init(_ key: String, _ arguments: [String: Word] = [:]) {
    self.key = key
    self.arguments = arguments
  }

  /// The sentence in the language of `texts`.
  package func text(_ texts: Texts) -> String {
    texts(
      key,
      arguments.mapValues { word in
        switch word {
        case .verbatim(let text): text
        case .named(let key): texts(key, [:])
        }
      })
  }
}

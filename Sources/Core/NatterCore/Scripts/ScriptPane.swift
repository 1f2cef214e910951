/// The content of a pane of a script. All texts are untrusted.
package struct ScriptPane: Hashable, Sendable {
  /// A part of a line that has a role of its own.
  package struct Span: Hashable, Sendable {
    /// Never empty; in characters, as people see them. It may go beyond the text.
    package let range: Range<Int>
    package let role: ScriptTextRole

    package init(_ range: Range<Int>, _ role: ScriptTextRole) {
      (self.range, self.role) = (range, role)
    }
  }

  package struct Line: Hashable, Sendable {
    package let text: String
    package let role: ScriptTextRole
    /// In the order of the text, and disjoint.
    package let spans: [Span]

    package init(_ text: String, _ role: ScriptTextRole = .plain, spans: [Span] = []) {
      (self.text, self.role, self.spans) = (text, role, spans)
    }
  }

  /// A key that the script is asked about while the pane is shown.
  package struct Key: Hashable, Sendable {
    /// A visible ASCII character.
    package let key: Character
    /// What it does, in a word or two.
    package let label: String

    package init(_ key: Character, _ label: String) { (self.key, self.label) = (key, label) }
  }

  /// The name of the script.
  package let script: String
  /// The id in the manifest.
  package let id: String
  package var title: String
  package var lines: [Line]
  /// Each key once.
  package var keys: [Key]

  package init(
    script: String, id: String, title: String, lines: [Line] = [], keys: [Key] = []
  ) {
    (self.script, self.id, self.title) = (script, id, title)
    (self.lines, self.keys) = (lines, keys)
  }
}

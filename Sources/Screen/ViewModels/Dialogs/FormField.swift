/// One row of a form: an input, a button, or text to read.
nonisolated package struct FormField: Identifiable, Hashable, Sendable {
  /// The kind of a row.
  package enum RowKind: Hashable, Sendable {
    case text
    /// Drawn as asterisks until the user reveals it.
    case password
    case checkbox
    /// One of several values.
    case choice([String])
    case button
    /// Shows and hides the fields after it (`isOn`: they are shown).
    case disclosure
    /// Text to read, wrapped.
    case paragraph
    /// Lines drawn as they are; those that are too wide are cut.
    case drawing
    /// A QR code in half blocks: black and white in every theme, below its `hint`; omitted if it
    /// does not fit.
    case code
    /// A short term, such as the name of a key, and its meaning.
    case entry(term: String)
    case spacer
  }

  package let id: String
  package let kind: RowKind
  package var label: String
  /// The label used if there are fewer than 60 columns.
  package var compactLabel: String?
  /// The input; empty for other kinds.
  package var text = ""
  /// The cursor in `text`, in graphemes from its start.
  package var cursor = 0
  /// True for a ticked checkbox and an open disclosure.
  package var isOn = false
  /// The index of the chosen value.
  package var selected = 0
  /// A line of advice under the field.
  package var hint: String?
  /// The error in the field, shown instead of the hint.
  package var error: String?
  /// True if the default action needs a value here.
  package var isRequired = false
  package var isHidden = false

  package init(_ kind: RowKind, _ id: String, label: String = "", compactLabel: String? = nil) {
    self.kind = kind
    self.id = id
    self.label = label
    self.compactLabel = compactLabel
  }

  package var isFocusable: Bool {
    guard !isHidden else { return false }
    switch kind {
    case .text, .password, .checkbox, .choice, .button, .disclosure: return true
    case .paragraph, .drawing, .code, .entry, .spacer: return false
    }
  }

  /// True if it accepts text.
  package var isText: Bool { kind == .text || kind == .password }

  /// The chosen value of a choice.
  package var selectedWord: String? {
    guard case .choice(let words) = kind, words.indices.contains(selected) else { return nil }
    return words[selected]
  }
}

/// The message of a form: at its lower edge, so that it is visible however small the form is.
nonisolated package struct FormMessage: Hashable, Sendable {
  package enum Level: Hashable, Sendable { case progress, info, error }
  package var level: Level
  package var lines: [String]
  /// A shorter version, for a form without room for all of `lines`.
  package var compactLines: [String]?
  package init(_ level: Level, _ lines: [String], compact: [String]? = nil) {
    self.level = level
    self.lines = lines
    compactLines = compact
  }
}

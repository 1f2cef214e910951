/// One row of a form: something to fill in, to press, or only to read.
nonisolated package struct FormField: Identifiable, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case text
    /// Drawn as stars until the person asks to see it.
    case password
    case checkbox
    /// One of some words.
    case choice([String])
    case button
    /// Shows and hides the fields that follow it (`isOn`: they are shown).
    case disclosure
    /// Text to read, wrapped.
    case paragraph
    /// Lines to look at, drawn as they are; what is too wide is cut.
    case drawing
    /// A QR code in half blocks: black and white in every theme, below its `hint`. Where it does not fit it is left out.
    case code
    /// A short term, as the name of a key, and what it means.
    case entry(term: String)
    case spacer
  }

  package let id: String
  package let kind: Kind
  package var label: String
  /// What stands in place of `label` where there are fewer than 60 columns.
  package var compactLabel: String?
  /// What was typed; for other kinds empty.
  package var text = ""
  /// Where the cursor stands in `text`, in graphemes from its start.
  package var cursor = 0
  /// A checkbox that is ticked, a disclosure that is open.
  package var isOn = false
  /// The number of the choice's word.
  package var selected = 0
  /// A line under the field that helps to fill it in.
  package var hint: String?
  /// What is wrong with it: takes the hint's place.
  package var error: String?
  /// Whether the default action makes no sense while it is empty.
  package var isRequired = false
  package var isHidden = false

  package init(_ kind: Kind, _ id: String, label: String = "", compactLabel: String? = nil) {
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

  /// Whether characters are typed into it.
  package var isText: Bool { kind == .text || kind == .password }

  /// The chosen word of a choice.
  package var selectedWord: String? {
    guard case .choice(let words) = kind, words.indices.contains(selected) else { return nil }
    return words[selected]
  }
}

/// What a form has to say beside its fields: pinned to its lower edge, so that it is seen however small the form is.
nonisolated package struct FormMessage: Hashable, Sendable {
  package enum Level: Hashable, Sendable { case progress, info, error }
  package var level: Level
  package var lines: [String]
  /// What is shown in place of `lines` where there is no room for all of them.
  package var compactLines: [String]?
  package init(_ level: Level, _ lines: [String], compact: [String]? = nil) {
    self.level = level
    self.lines = lines
    compactLines = compact
  }
}

import Text

/// A setting of `config.toml` with its current value.
nonisolated package struct SettingState: Identifiable, Hashable, Sendable {
  /// The possible values of a setting.
  package enum ControlKind: Hashable, Sendable {
    case boolean
    /// One of these values.
    case choice([String])
    case number(ClosedRange<Int>)
    case text
  }

  /// The section and key, as in the file.
  package struct ID: Hashable, Sendable {
    package let section: String
    package let key: String
    package init(_ section: String, _ key: String) {
      self.section = section
      self.key = key
    }
  }

  package let id: ID
  package let kind: ControlKind
  /// The value without quotation marks; empty for none.
  package let value: String
  /// The default; empty for none.
  package let standard: String
  /// An example of the format; `nil` if it is self-evident.
  package let example: String?

  package init(id: ID, kind: ControlKind, value: String, standard: String, example: String? = nil) {
    self.id = id
    self.kind = kind
    self.value = value
    self.standard = standard
    self.example = example
  }
}

extension SettingState {
  /// Returns synonyms for the search: the possible values, in the file's form and in the user's
  /// language.
  package func keywords(_ localizer: Localizer) -> String {
    let key = "setting.\(id.section).\(id.key)-words"
    var keywords = localizer.has(key) ? [localizer(key)] : []
    // Values of nearly every setting would match nearly every one.
    if case .choice(let values) = kind {
      for value in values where !["auto", "on", "off"].contains(value) {
        keywords.append(value)
        if let name = localizer.name(of: value, of: id) { keywords.append(name) }
      }
    }
    return keywords.joined(separator: " ")
  }
}

extension Localizer {
  /// Returns the name of a value of a setting; `nil` if it has no other name than its own.
  nonisolated func name(of value: String, of id: SettingState.ID) -> String? {
    ["settings.value.\(id.section).\(id.key).\(value)", "settings.value.\(value)"]
      .first { has($0) }.map { self($0) }
  }

  /// Returns true if a setting's description omits one of the possible values.
  /// - Parameter key: the key of the description, which mentions a value as `{value}`.
  nonisolated package func unreported(_ values: [String], in key: String) -> Bool {
    let text = self(key)
    return values.contains { !text.contains("{\($0)}") }
  }
}

/// The operations on settings, implemented by the program, which knows the file.
package struct SettingsActions {
  /// Returns all settings in the order of the file.
  package var read: () -> [SettingState]
  /// Writes a setting into the file; `nil` removes it.
  /// - Returns: whether it applies at once; otherwise from the next start on.
  /// - Throws: `NatterError` if the value is invalid or the file cannot be written.
  package var change: (SettingState.ID, String?) throws -> Bool
  /// Shows a value without saving it, for visible settings; `nil` shows the saved one.
  package var preview: (SettingState.ID, String?) -> Void
  /// Returns the current result of `auto` in the user's language; `nil` if it is unknown or
  /// irrelevant.
  package var automatic: (SettingState.ID) -> String?
  /// Returns a value's own name, such as a theme's; `nil` for none.
  package var name: (SettingState.ID, String) -> String?
  /// Loads the own names of a section's values off the main actor; `name` returns them from then
  /// on.
  package var refreshNames: (String) async -> Void

  package init(
    read: @escaping () -> [SettingState],
    change: @escaping (SettingState.ID, String?) throws -> Bool,
    preview: @escaping (SettingState.ID, String?) -> Void = { _, _ in },
    automatic: @escaping (SettingState.ID) -> String? = { _ in nil },
    name: @escaping (SettingState.ID, String) -> String? = { _, _ in nil },
    refreshNames: @escaping (String) async -> Void = { _ in }
  ) {
    self.read = read
    self.change = change
    self.preview = preview
    (self.automatic, self.name, self.refreshNames) = (automatic, name, refreshNames)
  }
}

/// A setting of `config.toml` as it stands.
nonisolated package struct SettingState: Identifiable, Hashable, Sendable {
  /// What a setting can be.
  package enum Kind: Hashable, Sendable {
    case boolean
    /// One of these words.
    case choice([String])
    case number(ClosedRange<Int>)
    case text
  }

  /// Section and key, as in the file.
  package struct ID: Hashable, Sendable {
    package let section: String
    package let key: String
    package init(_ section: String, _ key: String) {
      self.section = section
      self.key = key
    }
  }

  package let id: ID
  package let kind: Kind
  /// Without quotation marks; empty for none.
  package let value: String
  /// What holds when the file does not say; empty for none.
  package let standard: String
  /// How what is typed for it looks; `nil`: that tells itself.
  package let example: String?

  package init(id: ID, kind: Kind, value: String, standard: String, example: String? = nil) {
    self.id = id
    self.kind = kind
    self.value = value
    self.standard = standard
    self.example = example
  }
}

extension SettingState {
  /// What else somebody may look for the setting by: what it can be, in the file's words and in the person's.
  package func words(_ localizer: Localizer) -> String {
    let key = "setting.\(id.section).\(id.key)-words"
    var words = localizer.has(key) ? [localizer(key)] : []
    // Those that nearly every one can be would find nearly every one.
    if case .choice(let values) = kind {
      for value in values where !["auto", "on", "off"].contains(value) {
        words.append(value)
        if let name = localizer.name(of: value, of: id) { words.append(name) }
      }
    }
    return words.joined(separator: " ")
  }
}

extension Localizer {
  /// What a value of a setting is called; `nil`: it has no other name than its own.
  nonisolated func name(of value: String, of id: SettingState.ID) -> String? {
    ["settings.value.\(id.section).\(id.key).\(value)", "settings.value.\(value)"]
      .first { has($0) }.map { self($0) }
  }

  /// Whether a setting's text leaves out one of the values that it can have.
  /// - Parameter key: the text has a value as `{value}` where it tells of it.
  nonisolated package func untold(_ values: [String], in key: String) -> Bool {
    let text = self(key)
    return values.contains { !text.contains("{\($0)}") }
  }
}

/// How the settings are read and changed: the program around the shell knows the file.
package struct SettingsActions {
  /// All settings in the order of the file.
  package var read: () -> [SettingState]
  /// Writes one into the file; `nil` takes it out of it.
  /// - Returns: whether it holds at once; otherwise from the next start on.
  /// - Throws: `NatterError` when the value is no good or the file cannot be written.
  package var change: (SettingState.ID, String?) throws -> Bool
  /// Shows a value without keeping it, `nil`: what is kept; for what can be seen.
  package var preview: (SettingState.ID, String?) -> Void
  /// What `auto` comes to now, in the person's words; `nil`: nobody knows it, or there is nothing to tell.
  package var automatic: (SettingState.ID) -> String?
  /// What a value calls itself, as a theme does; `nil`: nothing.
  package var name: (SettingState.ID, String) -> String?
  /// Reads aside what values of a section call themselves, for `name` to tell from then on.
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

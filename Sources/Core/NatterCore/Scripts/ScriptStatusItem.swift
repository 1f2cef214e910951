import FoundationEssentials

/// The role of a text of a script, by its name on the wire; the theme has a colour for each.
package enum ScriptTextRole: String, Hashable, Sendable, CaseIterable {
  case plain, good, warning, bad
}

/// A short text of a script in the status line.
package struct ScriptStatusItem: Hashable, Sendable {
  /// The most cells that are shown.
  package static let width = 20

  /// The name of the script.
  package let script: String
  /// The id in the manifest.
  package let id: String
  /// Never empty; untrusted.
  package let text: String
  package let role: ScriptTextRole
  /// When it disappears by itself; `nil`: with the script.
  package let until: Date?

  package init(
    script: String, id: String, text: String, role: ScriptTextRole, until: Date? = nil
  ) {
    (self.script, self.id, self.text) = (script, id, text)
    (self.role, self.until) = (role, until)
  }
}

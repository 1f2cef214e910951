/// The content of a script's `manifest.toml`, which is read before anything of it is started. All
/// texts are the author's: untrusted.
package struct ScriptManifest: Hashable, Sendable {
  /// When the program is started.
  package enum Start: String, Hashable, Sendable, CaseIterable {
    /// At the first command, address, decoration or subscribed event.
    case lazy
    /// When an account is online.
    case login
    /// Only by the user.
    case manual
  }

  /// A right that the script may ask for.
  package struct Permission: Hashable, Sendable {
    package let right: ScriptRight
    /// The author's reason, for the user.
    package let why: String
    /// The widest scope that the script can use.
    package let scope: BridgeScope
    /// The hosts that a script with the right `network` names. They are shown, not enforced.
    package var hosts: [String] = []
    /// The absolute paths of `folder.read` and `folder.write`.
    package var paths: [String] = []

    package init(_ right: ScriptRight, why: String, scope: BridgeScope = .all) {
      (self.right, self.why, self.scope) = (right, why, scope)
    }
  }

  /// A command that the user can enter.
  package struct Command: Hashable, Sendable {
    /// Without the slash: `[a-z][a-z0-9-]{0,31}`.
    package let name: String
    /// How its arguments are shown, such as `NICK`; empty: it has none.
    package let arguments: String
    package let help: String
    /// Indicates whether the palette lists it.
    package let isInPalette: Bool

    package init(name: String, arguments: String, help: String, isInPalette: Bool) {
      (self.name, self.arguments) = (name, arguments)
      (self.help, self.isInPalette) = (help, isInPalette)
    }
  }

  /// A setting that the user can change on the script's page.
  package struct Setting: Hashable, Sendable {
    package let name: String
    package let help: String
    package let standard: String

    package init(name: String, help: String, standard: String) {
      (self.name, self.help, self.standard) = (name, help, standard)
    }
  }

  /// In the user's language, if the manifest has it.
  package let title: String
  package let version: String
  /// The program and its arguments; never empty.
  package let run: [String]
  package var start = Start.lazy
  /// In the order of the file.
  package var permissions: [Permission] = []
  package var commands: [Command] = []
  package var settings: [Setting] = []
  /// The ids of its items in the status line.
  package var statusItems: [String] = []
  /// The ids of its panes.
  package var panes: [String] = []
  /// The beginnings of addresses that it can open.
  package var prefixes: [String] = []
  /// The conversations whose messages it decorates; `nil`: none.
  package var decorated: BridgeScope?
  /// The events that start it.
  package var events: [String] = []

  package init(title: String, version: String, run: [String]) {
    (self.title, self.version, self.run) = (title, version, run)
  }

  package func permission(_ right: ScriptRight) -> Permission? {
    permissions.first { $0.right == right }
  }
}

import XMPP

/// A right that a script can declare and be granted, by its name in manifests and `grants.toml`.
package enum ScriptRight: Hashable, Sendable {
  /// A right over methods and events of the bridge; never `control`.
  case bridge(BridgePermission)
  /// Sending files from the script's storage.
  case sendFiles
  case commands, status, decorations, panes, addresses
  /// Connections over TCP and UDP.
  case network
  /// Reading, or reading and writing, below the folders of the manifest.
  case readFolder, writeFolder

  /// All rights, in the order of the manual.
  package static let all: [ScriptRight] =
    BridgePermission.allCases.filter { $0 != .control }.map { .bridge($0) } + [
      .sendFiles, .commands, .status, .decorations, .panes, .addresses, .network, .readFolder,
      .writeFolder,
    ]

  package var name: String {
    switch self {
    case .bridge(let permission): permission.rawValue
    case .sendFiles: "files.send"
    case .commands: "ui.command"
    case .status: "ui.status"
    case .decorations: "ui.decorate"
    case .panes: "ui.pane"
    case .addresses: "ui.url"
    case .network: "network"
    case .readFolder: "folder.read"
    case .writeFolder: "folder.write"
    }
  }

  /// `nil` for a name that is no right of a script.
  package init?(_ name: String) {
    guard let right = Self.all.first(where: { $0.name == name }) else { return nil }
    self = right
  }

  /// Indicates whether the right is limited to accounts and conversations.
  package var hasScope: Bool {
    switch self {
    case .bridge, .sendFiles: true
    case .commands, .status, .decorations, .panes, .addresses: false
    case .network, .readFolder, .writeFolder: false
    }
  }

  /// Indicates whether an enabled script holds the right as soon as it declares it: the user has
  /// seen its commands then, and each of them runs only when the user calls it.
  package var comesWithScript: Bool { self == .commands }
}

/// A right that the user has given to a script.
package struct ScriptGrant: Hashable, Sendable {
  package let right: ScriptRight
  /// The accounts in which it is held, bare; empty: all.
  package let accounts: Set<JID>
  /// The conversations that it covers; `.all` for a right without scope.
  package let scope: BridgeScope

  package init(_ right: ScriptRight, accounts: Set<JID> = [], scope: BridgeScope = .all) {
    (self.right, self.scope) = (right, scope)
    self.accounts = Set(accounts.map(\.bare))
  }
}

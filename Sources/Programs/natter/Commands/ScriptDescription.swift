import NatterCore
import ScriptService
import Terminal
import Text
import ViewModels
import XMPP

/// What a script asks for, in lines for the user. The texts of its author are made safe.
struct ScriptDescription {
  let localizer: Localizer

  /// The lines about a whole manifest.
  func lines(of manifest: ScriptManifest, named name: String) -> [String] {
    let arguments = [
      "title": SafeText.line(manifest.title), "version": SafeText.line(manifest.version),
      "name": name,
    ]
    var lines = [
      localizer(
        manifest.permissions.isEmpty ? "cli.scripts.asks-nothing" : "cli.scripts.asks", arguments)
    ]
    for permission in manifest.permissions {
      lines.append("  " + words(for: permission.right))
      lines.append(
        "    " + localizer("cli.scripts.why", ["why": SafeText.line(permission.why)]))
      lines += details(of: permission).map { "    " + $0 }
    }
    if manifest.canPassOn { lines.append("  " + localizer("cli.scripts.passes-on")) }
    lines.append(
      "  "
        + localizer(
          "cli.scripts.runs", ["program": SafeText.line(manifest.run.joined(separator: " "))]))
    return lines
  }

  /// The line about a right that is held.
  func line(of grant: ScriptGrant) -> String {
    var parts = [grant.right.name]
    if grant.right.hasScope { parts.append(scope(grant.scope)) }
    if !grant.accounts.isEmpty {
      let accounts = grant.accounts.map { SafeText.line($0.description) }.sorted()
      parts.append(
        localizer("cli.scripts.accounts", ["accounts": accounts.joined(separator: ", ")]))
    }
    return parts.joined(separator: "  ")
  }

  /// `messages.read: reads messages`
  private func words(for right: ScriptRight) -> String {
    let key = "permission.\(right.name)"
    return localizer.has(key) ? "\(right.name)  \(localizer(key))" : right.name
  }

  private func details(of permission: ScriptManifest.Permission) -> [String] {
    var lines: [String] = []
    if permission.right.hasScope { lines.append(scope(permission.scope)) }
    func add(_ key: String, _ name: String, _ values: [String]) {
      guard !values.isEmpty else { return }
      let safe = values.map { SafeText.line($0) }.joined(separator: ", ")
      lines.append(localizer(key, [name: safe]))
    }
    add("cli.scripts.hosts", "hosts", permission.hosts)
    add("cli.scripts.paths", "paths", permission.paths)
    return lines
  }

  private func scope(_ scope: BridgeScope) -> String {
    localizer(
      "cli.scripts.scope",
      ["scope": scope.names.map { SafeText.line($0) }.joined(separator: ", ")])
  }
}

extension ScriptManifest {
  /// Indicates whether the script may send what it reads to others.
  fileprivate var canPassOn: Bool {
    let reads: [ScriptRight] = [.bridge(.readMessages), .bridge(.readFiles), .readFolder]
    return permission(.network) != nil && reads.contains { permission($0) != nil }
  }
}

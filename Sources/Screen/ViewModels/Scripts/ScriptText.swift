import NatterCore
import Text
import XMPP

/// The sentences about scripts. What comes from a script is on one line, of bounded length.
package struct ScriptText {
  private let format: ItemFormat
  private var localizer: Localizer { format.localizer }

  package init(_ format: ItemFormat) { self.format = format }

  /// The most cells of a toast, and of the title before it.
  private static let (toastLimit, titleLimit) = (80, 40)

  private func shown(_ text: String, limit: Int) -> String {
    format.shown(ErrorText.oneLine(text, limit: limit))
  }

  // MARK: Scripts

  package func title(of manifest: ScriptManifest) -> String {
    shown(manifest.title, limit: Self.titleLimit)
  }

  /// The title of a script with its version, and whether it comes with Natter.
  package func heading(of script: ScriptSummary) -> String {
    guard let manifest = script.manifest else { return script.name }
    return localizer(
      script.isShipped ? "scripts.headingShipped" : "scripts.heading",
      ["title": title(of: manifest), "version": shown(manifest.version, limit: 20)])
  }

  package func name(of state: ScriptState) -> String { localizer("scripts.state.\(state.key)") }

  /// The meaning of a script's state, and what the user can do: one paragraph each.
  package func help(on script: ScriptSummary) -> [String] {
    script.refusal.map { [format.text($0)] } ?? help(on: script.state)
  }

  /// The meaning of a state, and what the user can do: one paragraph each.
  package func help(on state: ScriptState) -> [String] {
    let sentence = localizer("scripts.stateHelp.\(state.key)", arguments(of: state))
    switch state {
    case .failed(let notice): return [format.text(notice), sentence]
    case .bad(let line?, let notice):
      let reason = format.text(notice)
      return [
        localizer("scripts.badLine", ["line": "\(line)", "reason": reason]), sentence,
      ]
    case .bad(nil, let notice): return [format.text(notice), sentence]
    case .off, .sleeping, .running, .asking, .unsafe, .changed: return [sentence]
    }
  }

  private func arguments(of state: ScriptState) -> [String: String] {
    guard case .unsafe(let path) = state else { return [:] }
    return ["path": shown(path, limit: 300)]
  }

  /// State, memory, processor time, requests and confinement, as far as they are known.
  package func facts(of script: ScriptSummary) -> String {
    var facts = [
      script.refusal == nil ? name(of: script.state) : localizer("scripts.notStarted")
    ]
    if let memory = script.memory { facts.append(localizer.size(memory)) }
    if let processor = script.processor {
      facts.append(localizer("scripts.processor", ["percent": "\(processor)"]))
    }
    if script.requests > 0 { facts.append(localizer.plural("scripts.requests", script.requests)) }
    if script.dropped > 0 { facts.append(localizer.plural("scripts.dropped", script.dropped)) }
    if script.state != .off { facts.append(name(of: script.confinement)) }
    return localizer.list(facts)
  }

  package func name(of confinement: ScriptConfinement) -> String {
    localizer("scripts.confinement.\(confinement.rawValue)")
  }

  // MARK: Rights

  /// The text of a right: `read your messages`.
  package func name(of right: ScriptRight) -> String { localizer("permission.\(right.name)") }

  /// The text of a change of contacts: `block eve@example.org`.
  package func name(of change: AskedContactChange) -> String {
    let key =
      switch change.kind {
      case .add: "scripts.change.add"
      case .remove: "scripts.change.remove"
      case .block: "scripts.change.block"
      case .unblock: "scripts.change.unblock"
      }
    return localizer(key, ["address": shown(change.address.description, limit: 200)])
  }

  /// The author's reason, in quotation marks; empty without one.
  package func why(_ permission: ScriptManifest.Permission) -> String {
    let text = shown(permission.why, limit: 200)
    return text.isEmpty ? "" : localizer("scripts.why", ["text": text])
  }

  /// The key of the text that says whether a script holds a right.
  package func key(of right: ScriptRight, in script: ScriptSummary) -> String {
    let uses = script.grants.filter { $0.grant.right == right }
    if uses.isEmpty {
      if script.never.contains(right) { return "scripts.refused" }
      return right.comesWithScript ? "scripts.grantedWhileOn" : "scripts.notGranted"
    }
    return uses.contains { $0.given == nil } ? "scripts.grantedForNow" : "scripts.granted"
  }

  /// What a right covers: conversations, hosts or folders; empty without any of them.
  package func extent(of permission: ScriptManifest.Permission) -> String {
    switch permission.right {
    case .network:
      permission.hosts.isEmpty
        ? localizer("scripts.anyHost")
        : localizer("scripts.hosts", ["hosts": list(permission.hosts)])
    case .readFolder, .writeFolder: list(permission.paths)
    default: permission.right.hasScope ? name(of: permission.scope) : ""
    }
  }

  private func list(_ texts: [String]) -> String {
    localizer.list(texts.prefix(8).map { shown($0, limit: 100) } + (texts.count > 8 ? ["..."] : []))
  }

  /// The text of a scope: `rooms, tea@rooms.example.org`.
  package func name(of scope: BridgeScope) -> String {
    if scope.isAll { return localizer("scripts.scope.all") }
    let kinds =
      (scope.hasDirect ? [localizer("scripts.scope.direct")] : [])
      + (scope.hasRooms ? [localizer("scripts.scope.rooms")] : [])
    return list(kinds + scope.addresses.map(\.description).sorted())
  }

  /// The text of the accounts of a grant; empty: all of them.
  package func name(ofAccounts accounts: Set<JID>) -> String {
    accounts.isEmpty
      ? localizer("scripts.allAccounts") : list(accounts.map(\.description).sorted())
  }

  /// A right with what it covers, and the author's reason in the next paragraph.
  package func lines(about permission: ScriptManifest.Permission) -> [String] {
    let extent = extent(of: permission)
    let right = name(of: permission.right)
    let reason = why(permission)
    let first =
      extent.isEmpty
      ? localizer("scripts.right", ["right": right])
      : localizer("scripts.rightIn", ["right": right, "extent": extent])
    return [first] + (reason.isEmpty ? [] : ["  " + reason])
  }

  // MARK: News

  /// A text of a script for the status line, of at most 80 cells, with its title before it.
  package static func toast(
    title: String, text: String, fit: (String, Int) -> String
  ) -> StatusNotice {
    StatusNotice(
      .info, "scripts.toast",
      [
        "title": fit(ErrorText.oneLine(title), titleLimit),
        "text": fit(ErrorText.oneLine(text), toastLimit),
      ])
  }
}

extension ScriptState {
  /// Its name in keys of `Resources/locales`.
  nonisolated var key: String {
    switch self {
    case .off: "off"
    case .sleeping: "sleeping"
    case .running: "running"
    case .asking: "asking"
    case .failed: "failed"
    case .bad: "bad"
    case .unsafe: "unsafe"
    case .changed: "changed"
    }
  }
}

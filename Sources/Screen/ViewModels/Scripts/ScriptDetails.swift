import FoundationEssentials
import NatterCore
import Text

/// The rows about one script: its state, rights, commands and settings.
struct ScriptDetails {
  private let script: ScriptSummary
  private let format: ItemFormat
  private let now: Date
  private var localizer: Localizer { format.localizer }
  private var texts: ScriptText { ScriptText(format) }

  init(_ script: ScriptSummary, format: ItemFormat, now: Date) {
    (self.script, self.format, self.now) = (script, format, now)
  }

  /// The rights that it has declared, and others that it holds, in the order of the manifest.
  private var rights: [ScriptRight] {
    let declared = (script.manifest?.permissions ?? []).map(\.right)
    var seen: Set<ScriptRight> = []
    return (declared + script.grants.map(\.grant.right)).filter { seen.insert($0).inserted }
  }

  private func uses(of right: ScriptRight) -> [ScriptGrantUse] {
    script.grants.filter { $0.grant.right == right }
  }

  private static let (rightPrefix, commandPrefix, settingPrefix) = (
    "right ", "command ", "setting "
  )

  var items: [ValueItem] {
    var state = ValueItem(
      id: "state", title: localizer("scripts.row.state"), value: texts.facts(of: script))
    state.isChanged = script.isEnabled
    var items = [state]
    items += rights.map { item(of: $0) }
    items += (script.manifest?.commands ?? []).map { item(of: $0) }
    items += (script.manifest?.settings ?? []).map { item(of: $0) }
    items.append(ValueItem(id: "log", title: localizer("scripts.row.log"), value: ""))
    items.append(ValueItem(id: "restart", title: localizer("scripts.row.restart"), value: ""))
    return items
  }

  private func item(of right: ScriptRight) -> ValueItem {
    let uses = uses(of: right)
    var item = ValueItem(
      id: Self.rightPrefix + right.name, title: texts.name(of: right),
      value: localizer(texts.key(of: right, in: script)))
    item.isChanged = !uses.isEmpty || script.never.contains(right)
    return item
  }

  private func item(of command: ScriptManifest.Command) -> ValueItem {
    let arguments = ErrorText.oneLine(command.arguments, limit: 60)
    return ValueItem(
      id: Self.commandPrefix + command.name,
      title: "/" + command.name + (arguments.isEmpty ? "" : " " + arguments),
      value: ErrorText.oneLine(command.help, limit: 120))
  }

  private func item(of setting: ScriptManifest.Setting) -> ValueItem {
    let changed = script.settings[setting.name]
    var item = ValueItem(
      id: Self.settingPrefix + setting.name, title: ErrorText.oneLine(setting.name, limit: 40),
      value: ErrorText.oneLine(changed ?? setting.standard))
    item.isChanged = changed != nil
    return item
  }

  /// The right of a row that the script holds, or that was refused for good.
  func decidedRight(_ id: String) -> ScriptRight? {
    guard id.hasPrefix(Self.rightPrefix) else { return nil }
    let right = ScriptRight(String(id.dropFirst(Self.rightPrefix.count)))
    return right.flatMap { uses(of: $0).isEmpty && !script.never.contains($0) ? nil : $0 }
  }

  /// The setting of a row.
  func setting(_ id: String) -> ScriptManifest.Setting? {
    script.manifest?.settings.first { Self.settingPrefix + $0.name == id }
  }

  /// The description of a row, one paragraph each.
  func help(on id: String) -> [String] {
    switch id {
    case "log": return [localizer("scripts.logHelp")]
    case "restart": return [localizer("scripts.restartHelp")]
    case _ where id.hasPrefix(Self.rightPrefix):
      return ScriptRight(String(id.dropFirst(Self.rightPrefix.count))).map { help(on: $0) } ?? []
    case _ where id.hasPrefix(Self.commandPrefix):
      return [
        localizer(
          "scripts.commandRowHelp",
          ["name": "/\(script.name):\(id.dropFirst(Self.commandPrefix.count))"])
      ]
    case _ where id.hasPrefix(Self.settingPrefix):
      let text = setting(id).map { ErrorText.oneLine($0.help) } ?? ""
      return (text.isEmpty ? [] : [text]) + [localizer("scripts.settingHelp")]
    default: return [texts.heading(of: script)] + texts.help(on: script)
    }
  }

  private func help(on right: ScriptRight) -> [String] {
    let declared = script.manifest?.permission(right).map { texts.lines(about: $0) } ?? []
    let uses = uses(of: right)
    guard !uses.isEmpty else {
      if script.never.contains(right) { return declared + [localizer("scripts.refusedHelp")] }
      let key = right.comesWithScript ? "scripts.grantedWhileOnHelp" : "scripts.notGrantedHelp"
      return declared + [localizer(key)]
    }
    return declared + uses.map { line(about: $0) } + [localizer("scripts.revokeHelp")]
  }

  /// What a grant covers, since when, and its use.
  private func line(about use: ScriptGrantUse) -> String {
    var facts: [String] = []
    if use.grant.right.hasScope {
      facts.append(
        localizer(
          "scripts.grantCovers",
          [
            "scope": texts.name(of: use.grant.scope),
            "accounts": texts.name(ofAccounts: use.grant.accounts),
          ]))
    }
    facts.append(
      use.given.map { localizer("scripts.since", ["time": format.moment($0, now: now)]) }
        ?? localizer("scripts.untilQuit"))
    facts.append(
      use.lastUse.map {
        localizer.plural(
          "scripts.used", use.count, ["time": format.moment($0, now: now)])
      } ?? localizer("scripts.unused"))
    return localizer.list(facts)
  }
}

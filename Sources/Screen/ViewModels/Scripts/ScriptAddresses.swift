import NatterCore
import Text
import XMPP

/// Addresses that scripts open: those with a beginning that is in a manifest, and
/// `natter://script/NAME/...`.
struct ScriptAddresses {
  let shell: ShellViewModel

  /// The most bytes of an address that a script gets.
  private static let limit = 8192

  private var localizer: Localizer { shell.format.localizer }
  private var tool: ScriptTool { shell.tools.scripts }

  /// Opens a link in the program for it, or, where scripts can open it and the user chooses one, in
  /// that.
  func open(link: String) {
    let scripts = tool.center?.scripts.filter { $0.opens(link) } ?? []
    guard !scripts.isEmpty, link.utf8.count <= Self.limit else {
      return shell.actions.openLink(link)
    }
    let texts = ScriptText(shell.format)
    let names = scripts.map { script in
      localizer(
        "scripts.url.with", ["title": script.manifest.map(texts.title(of:)) ?? script.name])
    }
    shell.actions.choose(
      ChoiceRequest(
        title: ErrorText.oneLine(link, limit: 60), labels: [localizer("scripts.url.usual")] + names,
        selected: 0
      ) { [weak shell] in
        guard let shell, let index = $0 else { return }
        if index == 0 {
          shell.actions.openLink(link)
        } else if scripts.indices.contains(index - 1) {
          shell.tools.scripts.ask(ScriptScreenCall(script: scripts[index - 1].name, .open(link)))
        }
      })
  }

  /// Makes `natter://script/NAME/...` known, which `Mediator` passes on as `script/open`.
  func publish(to mediator: Mediator) {
    mediator.publish(
      Mediator.Action(
        "script/open", required: ["name", "address"],
        ask: { [weak shell] in
          shell?.tools.scripts.addresses.askToOpen($0["address"], in: $0["name"], then: $1) ?? false
        }
      ) { [weak shell] in
        try shell?.tools.scripts.addresses.open($0["address"] ?? "", in: $0["name"] ?? "")
      })
  }

  /// - Returns: `false` if there is nothing to ask: no script opens it.
  private func askToOpen(
    _ address: String?, in name: String?, then proceed: @escaping () throws -> Void
  ) -> Bool {
    guard let address, let name, let script = try? script(name) else { return false }
    let title = script.manifest.map(ScriptText(shell.format).title(of:)) ?? name
    shell.ask(
      title: "confirm.scriptTitle", text: "confirm.script", accept: "confirm.scriptAccept",
      ["script": title, "address": ErrorText.oneLine(address)], then: proceed)
    return true
  }

  private func open(_ address: String, in name: String) throws {
    guard address.utf8.count <= Self.limit else {
      throw NatterError(.invalidInput, "error.badURI", ["text": ErrorText.oneLine(address)])
    }
    tool.ask(ScriptScreenCall(script: try script(name).name, .open(address)))
  }

  /// Returns a script that can open addresses.
  /// - Throws: `NatterError` if there is none of that name.
  private func script(_ name: String) throws -> ScriptSummary {
    guard let center = tool.center else { throw NatterError(.refused, "scripts.error.off") }
    let shown = ["name": ErrorText.oneLine(name, limit: 32)]
    guard let script = center.script(named: name) else {
      throw NatterError(.invalidInput, "error.script.state.unknown", shown)
    }
    guard script.isEnabled else {
      throw NatterError(.invalidInput, "error.script.state.off", shown)
    }
    guard script.manifest?.permission(.addresses) != nil else {
      throw NatterError(.invalidInput, "scripts.error.addresses", shown)
    }
    return script
  }
}

extension ScriptSummary {
  /// Returns whether it can open an address: one of its beginnings is that of the address, byte by
  /// byte, and the user has not refused it the right.
  fileprivate func opens(_ link: String) -> Bool {
    guard isEnabled, let manifest, manifest.permission(.addresses) != nil else { return false }
    return !refused.contains(.addresses)
      && manifest.prefixes.contains { link.utf8.starts(with: $0.utf8) }
  }
}

import BoundedText
import Keys
import NatterCore
import Text
import XMPP

/// Scripts in the full screen: `/script`, their own commands, their questions, and the dialogs
/// about them.
package struct ScriptTool {
  let shell: ShellViewModel

  var center: ScriptCenter? { shell.ports.scripts }
  var addresses: ScriptAddresses { ScriptAddresses(shell: shell) }
  private var texts: ScriptText { ScriptText(shell.format) }
  private var localizer: Localizer { shell.format.localizer }

  private func required() throws(NatterError) -> ScriptCenter {
    guard let center else { throw NatterError(.refused, "scripts.error.off") }
    return center
  }

  /// Has the status line show that a script asks, and the input complete the names of scripts.
  package func attach() {
    center?.follow(for: shell) { [weak shell] in
      shell?.tools.scripts.showWaiting()
      shell?.candidatesChanged()
    }
    center?.statusBar.follow(shell.status.invalidation)
    showWaiting()
  }

  /// Makes the addresses of scripts known.
  package func publishAddresses(to mediator: Mediator) { addresses.publish(to: mediator) }

  /// The items of scripts in the status line.
  package var statusItems: [ScriptStatusBar.Item] { center?.statusBar.shown(shell.format) ?? [] }

  private func showWaiting() { shell.status.show(asking: center?.question()?.script ?? "") }

  // MARK: Commands

  /// Does what `/script` asks for.
  /// - Throws: `NatterError` if the text is invalid, or no scripts run here.
  func perform(_ text: String) throws {
    let center = try required()
    switch try ScriptRequest(text, names: center.scripts.map(\.name)) {
    case .list: try openPage()
    case .rights(let name): try openPage(name)
    case .enable(let name): if let script = center.script(named: name) { askToEnable(script) }
    case .disable(let name): setEnabled(false, name)
    case .restart(let name): restart(name)
    case .log(let name): showLog(of: name)
    case .answer(let word):
      guard let question = center.question() else {
        throw NatterError(.invalidInput, "scripts.error.noQuestion")
      }
      answer(question, word.answer(to: question))
    }
  }

  /// Opens the page of scripts, at one of them.
  private func openPage(_ name: String = "") throws {
    try shell.actions.request("me/show", ["page": "scripts", "item": name])
  }

  /// Runs a command of a script with what is shown now. What was typed comes back into the input
  /// if it fails.
  func run(_ command: String, of script: String, _ call: CommandCall) {
    guard let center else { return }
    var request = ScriptCommandCall(
      script: script, command: command,
      arguments: call.rest.split(whereSeparator: \.isWhitespace).map(String.init))
    request.account = shell.format.account.bare
    request.conversation = shell.activeConversation
    let line = CommandOrigin.current
    let title = center.script(named: script)?.manifest?.title ?? script
    let conversation = shell.activeConversation
    shell.lifetime.aside { [weak shell] in
      do {
        let result = try await center.managing.run(request)
        shell?.tools.scripts.show(result, of: script, titled: title, in: conversation)
      } catch {
        shell?.report(error, of: line)
      }
    }
  }

  /// Runs a command that a key is bound to, without arguments; shows a notice if there is none.
  package func run(_ key: ScriptKey) {
    guard let script = center?.script(named: key.script), script.offersCommands,
      script.manifest?.commands.contains(where: { $0.name == key.command }) == true
    else {
      return shell.show(
        StatusNotice(
          .warning, "scripts.error.noCommand", ["name": key.script, "command": key.command]))
    }
    run(key.command, of: key.script, CommandCall(rest: ""))
  }

  private func show(
    _ result: ScriptCommandResult, of script: String, titled title: String, in conversation: JID?
  ) {
    switch result {
    case .nothing: break
    case .note(let text):
      let lines = text.split(whereSeparator: \.isNewline).prefix(200)
        .map { ErrorText.oneLine(String($0)) }.filter { !$0.isEmpty }
      if lines.count == 1 {
        shell.show(
          StatusNotice(
            .info, "scripts.toast",
            ["title": ErrorText.oneLine(title, limit: 40), "text": lines[0]]))
      } else if lines.count > 1 {
        shell.actions.choose(
          ChoiceRequest(
            title: ErrorText.oneLine(title, limit: 40), labels: lines, selected: 0, onEnd: { _ in })
        )
      }
    case .insert(let text):
      // The user may have gone to another conversation meanwhile.
      guard conversation == shell.activeConversation else {
        return shell.show(StatusNotice(.warning, "scripts.insertElsewhere"))
      }
      AddedBody(text: text.bounded).add(to: shell.input)
    case .pane(let pane): open(pane, of: script, titled: title)
    }
  }

  /// Shows a pane of a script.
  private func open(_ pane: String, of script: String, titled title: String) {
    guard let center else { return }
    let model = ScriptPaneViewModel(script, pane: pane, titled: title, shell.format)
    model.onKey = { [weak shell, weak model] key, line in
      // A key that is held down does not pile up requests.
      guard let shell, let model, !model.isBusy else { return }
      model.isBusy = true
      let request = ScriptScreenCall.Request.key(key, line: line, pane: pane)
      shell.tools.scripts.ask(ScriptScreenCall(script: script, request)) { [weak model] in
        model?.isBusy = false
      }
    }
    center.panes.open(model, from: center.display, present: center.actions.showPane)
  }

  /// Asks a script about something that it has on the screen, or an address, with what is shown
  /// now, and shows its answer.
  func ask(_ call: ScriptScreenCall, onEnd: @escaping () -> Void = {}) {
    guard let center, let display = center.display else { return onEnd() }
    var call = call
    (call.account, call.conversation) = (shell.format.account.bare, shell.activeConversation)
    let (request, conversation) = (call, shell.activeConversation)
    let title = center.script(named: call.script)?.manifest?.title ?? call.script
    shell.lifetime.aside { [weak shell] in
      defer { onEnd() }
      do {
        let result = try await display.ask(request)
        shell?.tools.scripts.show(
          result, of: request.script, titled: title, in: conversation)
      } catch {
        shell?.report(error)
      }
    }
  }

  // MARK: Changes

  /// Runs a change of a script, and reports its error.
  private func change(
    _ done: StatusNotice?, _ work: @escaping @MainActor (ScriptCenter) async throws -> Void
  ) {
    guard let center else { return }
    let line = CommandOrigin.current
    shell.lifetime.inOrder { [weak shell] in
      do {
        try await work(center)
        if let done { shell?.show(done) }
      } catch {
        shell?.report(error, of: line)
      }
      await center.refresh()
    }
  }

  func setEnabled(_ isEnabled: Bool, _ name: String) {
    change(
      StatusNotice(.info, isEnabled ? "scripts.enabled" : "scripts.disabled", ["name": name])
    ) { try await $0.managing.setEnabled(isEnabled, name) }
  }

  func restart(_ name: String) {
    change(StatusNotice(.info, "scripts.restarted", ["name": name])) {
      try await $0.managing.restart(name)
    }
  }

  /// Takes a right back, at once; one that was refused for good can be asked for again.
  func revoke(_ right: ScriptRight, of script: ScriptSummary) {
    let (name, text) = (script.name, texts.name(of: right))
    let key = script.never.contains(right) ? "scripts.asksAgain" : "scripts.revoked"
    change(StatusNotice(.info, key, ["name": name, "right": text])) {
      try await $0.managing.revoke(right, of: name)
    }
  }

  /// - Parameter value: `nil`: the value of the manifest.
  func set(_ setting: String, to value: String?, of name: String) {
    change(nil) {
      guard let settings = $0.managing as? any ScriptSettingChanging else {
        throw NatterError(.refused, "scripts.error.settings")
      }
      try await settings.setSetting(setting, to: value, of: name)
    }
  }

  /// Shows the last lines of a script's standard error; Enter copies all of them.
  func showLog(of name: String) {
    guard let center else { return }
    shell.lifetime.aside { [weak shell] in
      let lines = await center.managing.log(of: name).suffix(200)
        .map { ErrorText.oneLine($0, limit: 500) }
      guard let shell else { return }
      guard !lines.isEmpty else {
        return shell.show(StatusNotice(.info, "scripts.noLog", ["name": name]))
      }
      shell.actions.choose(
        ChoiceRequest(
          title: shell.format.localizer("scripts.logTitle", ["name": name]), labels: lines,
          selected: lines.count - 1
        ) { [weak shell] in if $0 != nil { shell?.copy(lines.joined(separator: "\n")) } })
    }
  }

  // MARK: Dialogs

  /// Shows what a script asks for, and enables it on consent.
  func askToEnable(_ script: ScriptSummary) {
    guard let center else { return }
    guard let manifest = script.manifest else {
      return shell.show(
        StatusNotice(
          .warning, "scripts.error.invalid",
          ["name": script.name, "state": texts.name(of: script.state)]))
    }
    var lines: [Dialog.Line] = []
    if script.confinement == .open { lines += [.text(localizer("scripts.openWarning")), .blank] }
    if manifest.permissions.isEmpty {
      lines.append(.text(localizer("scripts.asksNothing")))
    } else {
      lines.append(.text(localizer("scripts.asksFor")))
      lines += manifest.permissions.flatMap { texts.lines(about: $0) }.map { .text($0) }
      if script.confinement != .open {
        lines += [.blank, .text(localizer("scripts.askedLater"))]
      }
    }
    let dialog = Dialog(
      title: localizer("scripts.enableTitle", ["title": texts.title(of: manifest)]),
      level: .question, lines: lines,
      buttons: [
        Dialog.Button("yes", localizer("scripts.enable")),
        Dialog.Button("no", localizer("dialog.cancel")),
      ], safe: script.confinement == .open ? "no" : "yes")
    var close: () -> Void = {}
    let model = DialogViewModel(
      dialog,
      onPress: { [weak shell] in
        close()
        if $0 == "yes" { shell?.tools.scripts.setEnabled(true, script.name) }
      }, onCancel: { close() })
    close = center.actions.show(model)
  }

  /// Shows the oldest question, or the oldest one of a script.
  /// - Returns: `false` if there is none.
  @discardableResult package func showQuestion(of script: String? = nil) -> Bool {
    guard let question = center?.question(of: script) else { return false }
    ScriptQuestionDialog(shell: shell, question: question).show()
    return true
  }

  /// Shows the oldest question, or a notice that there is none: the action of its key.
  package func showQuestionOrNotice() {
    if !showQuestion() { shell.show(StatusNotice(.info, "scripts.error.noQuestion")) }
  }

  func answer(_ question: ScriptQuestion, _ answer: ScriptAnswer) {
    change(nil) { try await $0.managing.questions.answer(question.id, answer) }
  }
}

extension ScriptRequest.Answer {
  /// The answer to a question, over the whole scope that it asks for.
  package nonisolated func answer(to question: ScriptQuestion) -> ScriptAnswer {
    let grant = question.widestGrant
    return switch self {
    case .no: .no
    case .never: .never
    case .once: .once
    case .yes: .session(grant)
    case .always: .always(grant)
    }
  }
}

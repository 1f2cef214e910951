import NatterCore
import Text
import ViewModels
import XMPP

/// Scripts in line mode: their questions are printed, and `/script` answers them.
struct PlainScripts {
  let session: PlainSession

  private var managing: (any ScriptManaging)? { session.ports.extras.scripts }
  private var texts: ScriptText { ScriptText(session.format) }
  private var localizer: Localizer { session.localizer }

  /// Prints what scripts ask and report, until the task is cancelled.
  func follow() async {
    guard let managing else { return }
    var printed: Set<ScriptQuestion.ID> = []
    let changes = managing.changes()
    for question in await managing.questions.open() where printed.insert(question.id).inserted {
      show(question)
    }
    for await change in changes {
      switch change {
      // Line mode has no line for it.
      case .list, .status, .panes, .decorations: break
      case .questions:
        for question in await managing.questions.open()
        where printed.insert(question.id).inserted { show(question) }
      case .toast(let title, let text):
        let notice = ScriptText.toast(title: title, text: text) { String($0.prefix($1)) }
        session.say(notice.key, notice.arguments)
      case .notice(let notice): say(notice)
      }
    }
  }

  private func say(_ notice: StatusNotice) { session.print(session.format.text(notice)) }

  private func show(_ question: ScriptQuestion) {
    if let change = question.change { return show(question, about: change) }
    let permission = question.permission
    session.say(
      "scripts.plain.asks",
      [
        "title": ErrorText.oneLine(question.title, limit: 40), "name": question.script,
        "right": texts.name(of: permission.right),
      ])
    let (why, extent) = (texts.why(permission), texts.extent(of: permission))
    if !why.isEmpty { row("scripts.ask.why", why) }
    if !extent.isEmpty { row("scripts.ask.scope", extent) }
    if let account = question.account { row("scripts.ask.account", account.description) }
    if question.canPassOn { session.say("scripts.canPassOn") }
    session.say("scripts.plain.answer")
  }

  private func show(_ question: ScriptQuestion, about change: AskedContactChange) {
    session.say(
      "scripts.plain.confirms",
      [
        "title": ErrorText.oneLine(question.title, limit: 40), "name": question.script,
        "change": texts.name(of: change),
      ])
    let why = texts.why(question.permission)
    if !why.isEmpty { row("scripts.ask.why", why) }
    row("scripts.ask.account", change.account.description)
    session.say("scripts.plain.confirm")
  }

  private func row(_ key: String, _ value: String) {
    session.say("scripts.plain.row", ["name": localizer(key), "value": value])
  }

  /// Prints what a pane has now.
  private func show(_ pane: String, of script: String) {
    guard let content = (managing as? any ScriptDisplaying)?.pane(pane, of: script) else {
      return session.say("scripts.pane.empty")
    }
    session.print(ErrorText.oneLine(content.title))
    for line in content.lines.prefix(200) {
      session.print(ErrorText.oneLine(line.text, limit: 500))
    }
    if content.lines.isEmpty { session.say("scripts.pane.empty") }
    if content.lines.count > 200 { session.print("...") }
  }

  // MARK: Commands

  /// Does what `/script` asks for.
  /// - Parameter asked: the question that the previous command asked.
  /// - Throws: `NatterError`.
  func perform(_ text: String, asked: PlainQuestion?) async throws {
    guard let managing else { throw NatterError(.refused, "scripts.error.off") }
    guard let scripts = await managing.scripts() else { return session.say("scripts.reading") }
    func named(_ name: String) -> ScriptSummary? { scripts.first { $0.name == name } }
    switch try ScriptRequest(text, names: scripts.map(\.name)) {
    case .list: list(scripts)
    case .rights(let name): if let script = named(name) { showRights(of: script) }
    case .enable(let name):
      guard let script = named(name) else { return }
      guard asked == .enable(name) else { return askToEnable(script) }
      try await managing.setEnabled(true, name)
      session.say("scripts.enabled", ["name": name])
    case .disable(let name):
      try await managing.setEnabled(false, name)
      session.say("scripts.disabled", ["name": name])
    case .restart(let name):
      try await managing.restart(name)
      session.say("scripts.restarted", ["name": name])
    case .log(let name):
      let lines = await managing.log(of: name)
      if lines.isEmpty { session.say("scripts.noLog", ["name": name]) }
      for line in lines.suffix(200) { session.print(ErrorText.oneLine(line, limit: 500)) }
    case .answer(let answer):
      guard let question = await managing.questions.open().first else {
        throw NatterError(.invalidInput, "scripts.error.noQuestion")
      }
      try await managing.questions.answer(question.id, answer.answer(to: question))
      session.say("scripts.plain.answered", ["name": question.script])
    }
  }

  private func list(_ scripts: [ScriptSummary]) {
    guard !scripts.isEmpty else {
      session.say("scripts.empty")
      return session.say("scripts.emptyNew")
    }
    let commands = commands(of: scripts)
    for script in scripts {
      session.say(
        "scripts.plain.script", ["name": script.name, "facts": texts.facts(of: script)])
      for entry in commands.entries where entry.script.name == script.name {
        let texts = commands.texts(of: entry)
        session.say("plain.help-line", ["usage": texts.usage, "summary": texts.summary])
      }
    }
  }

  private func commands(of scripts: [ScriptSummary]) -> ScriptCommands {
    ScriptCommands(
      scripts, beside: CommandTable().speaking(localizer), and: PlainCommandTable.ownNames,
      localizer)
  }

  private func showRights(of script: ScriptSummary) {
    session.print(texts.heading(of: script))
    for line in texts.help(on: script) { session.print(line) }
    for permission in script.manifest?.permissions ?? [] {
      session.say(
        "scripts.plain.row",
        [
          "name": texts.name(of: permission.right),
          "value": localizer(texts.key(of: permission.right, in: script)),
        ])
      let why = texts.why(permission)
      if !why.isEmpty { session.print("  " + why) }
    }
  }

  /// Prints what a script asks for; the same command once more enables it.
  private func askToEnable(_ script: ScriptSummary) {
    guard let manifest = script.manifest else {
      return session.say(
        "scripts.plain.invalid",
        ["name": script.name, "reason": texts.help(on: script).first ?? ""])
    }
    session.print(texts.heading(of: script))
    if script.confinement == .open { session.say("scripts.openWarning") }
    session.say(manifest.permissions.isEmpty ? "scripts.asksNothing" : "scripts.asksFor")
    for line in manifest.permissions.flatMap({ texts.lines(about: $0) }) { session.print(line) }
    session.say("scripts.plain.enable", ["name": script.name])
    session.question = .enable(script.name)
  }

  /// Runs a command of a script, if the name is one.
  /// - Returns: `false` if it is none.
  /// - Throws: `NatterError`.
  func runsCommand(_ call: PlainCommand.Call) async throws -> Bool {
    guard let managing,
      let entry = commands(of: await managing.scripts() ?? []).entry(named: call.typed)
    else { return false }
    var request = ScriptCommandCall(
      script: entry.script.name, command: entry.command.name,
      arguments: call.text.split(whereSeparator: \.isWhitespace).map(String.init))
    (request.account, request.conversation) = (session.account.jid.bare, session.current)
    let title = ErrorText.oneLine(entry.script.manifest?.title ?? entry.script.name, limit: 40)
    switch try await managing.run(request) {
    case .nothing: break
    case .pane(let id): show(id, of: entry.script.name)
    case .note(let text): session.say("scripts.toast", ["title": title, "text": text])
    case .insert(let text):
      session.say("scripts.plain.insert", ["title": title, "text": text])
    }
    return true
  }
}

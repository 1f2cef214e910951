import NatterCore
import Text
import XMPP

/// The dialog with a question of a script for a right. Esc leaves the question open.
struct ScriptQuestionDialog {
  let shell: ShellViewModel
  let question: ScriptQuestion
  /// What an answer grants; the user can narrow it.
  var grant: ScriptGrant

  init(shell: ShellViewModel, question: ScriptQuestion) {
    (self.shell, self.question) = (shell, question)
    grant = question.widestGrant
  }

  private var texts: ScriptText { ScriptText(shell.format) }
  private var localizer: Localizer { shell.format.localizer }

  func show() {
    guard let center = shell.ports.scripts else { return }
    var close: () -> Void = {}
    let model = DialogViewModel(
      dialog,
      onPress: { id in
        close()
        press(id)
      }, onCancel: { close() })
    close = center.actions.show(model)
  }

  /// The dialog as it is shown.
  var dialog: Dialog {
    if let change = question.change { return dialog(about: change) }
    let permission = question.permission
    var lines: [Dialog.Line] = [
      .row(localizer("scripts.ask.right"), texts.name(of: permission.right))
    ]
    let why = texts.why(permission)
    if !why.isEmpty { lines.append(.row(localizer("scripts.ask.why"), why)) }
    if permission.right.hasScope {
      lines.append(.row(localizer("scripts.ask.scope"), scopeText))
      lines.append(
        .row(localizer("scripts.ask.account"), texts.name(ofAccounts: grant.accounts)))
    } else {
      let extent = texts.extent(of: permission)
      if !extent.isEmpty { lines.append(.row(localizer("scripts.ask.scope"), extent)) }
    }
    if question.canPassOn { lines += [.blank, .text(localizer("scripts.canPassOn"))] }
    var buttons = [
      Dialog.Button("no", localizer("scripts.ask.no")),
      Dialog.Button("once", localizer("scripts.ask.once")),
      Dialog.Button("session", localizer("scripts.ask.session")),
      Dialog.Button("always", localizer("scripts.ask.always")),
    ]
    if permission.right.hasScope {
      buttons.append(Dialog.Button("scope", localizer("scripts.ask.narrow"), key: "s"))
    }
    buttons.append(Dialog.Button("never", localizer("scripts.ask.never"), key: "n"))
    return dialog(lines, buttons)
  }

  /// The dialog about one change, to which the user agrees once.
  private func dialog(about change: AskedContactChange) -> Dialog {
    var lines: [Dialog.Line] = [
      .row(localizer("scripts.ask.right"), texts.name(of: change))
    ]
    let why = texts.why(question.permission)
    if !why.isEmpty { lines.append(.row(localizer("scripts.ask.why"), why)) }
    lines.append(
      .row(localizer("scripts.ask.account"), texts.name(ofAccounts: [change.account])))
    return dialog(
      lines,
      [
        Dialog.Button("no", localizer("scripts.ask.no")),
        Dialog.Button("once", localizer("scripts.ask.once")),
        Dialog.Button("never", localizer("scripts.ask.noMore"), key: "n"),
      ])
  }

  private func dialog(_ lines: [Dialog.Line], _ buttons: [Dialog.Button]) -> Dialog {
    var dialog = Dialog(
      title: localizer(
        "scripts.ask.title", ["title": ErrorText.oneLine(question.title, limit: 40)]),
      level: .question, lines: lines, buttons: buttons, safe: "no")
    dialog.isList = true
    return dialog
  }

  private var scopeText: String {
    if let conversation = question.conversation, grant.scope == Self.scope(of: conversation) {
      return localizer("scripts.scope.here", ["address": conversation.shown])
    }
    return texts.name(of: grant.scope)
  }

  private func press(_ id: Dialog.Button.ID) {
    let tool = shell.tools.scripts
    switch id {
    case "once":
      tool.answer(question, grant == question.widestGrant ? .once : .onceWithin(grant))
    case "session": tool.answer(question, .session(grant))
    case "always": tool.answer(question, .always(grant))
    case "never": tool.answer(question, .never)
    case "scope": chooseScope()
    default: tool.answer(question, .no)
    }
  }

  // MARK: Scope

  private static func scope(of conversation: JID) -> BridgeScope {
    BridgeScope(addresses: [conversation])
  }

  /// The scopes within what the script has declared, the narrowest first.
  var scopes: [BridgeScope] {
    let widest = question.permission.scope
    var scopes = question.conversation.map { [Self.scope(of: $0)] } ?? []
    if !widest.addresses.isEmpty { scopes.append(BridgeScope(addresses: widest.addresses)) }
    if widest.hasRooms { scopes.append(BridgeScope(hasRooms: true)) }
    if widest.hasDirect { scopes.append(BridgeScope(hasDirect: true)) }
    scopes.append(widest)
    var seen: Set<BridgeScope> = []
    return scopes.filter { seen.insert($0).inserted }
  }

  private func chooseScope() {
    let scopes = scopes
    let labels = scopes.map { scope in
      scope == question.conversation.map(Self.scope)
        ? localizer(
          "scripts.scope.here", ["address": question.conversation?.shown ?? ""])
        : texts.name(of: scope)
    }
    shell.actions.choose(
      ChoiceRequest(
        title: localizer("scripts.ask.scopeTitle"), labels: labels,
        selected: scopes.firstIndex(of: grant.scope) ?? 0
      ) { index in
        var next = self
        if let index {
          next.grant = ScriptGrant(
            grant.right, accounts: grant.accounts, scope: scopes[index])
        }
        if index == nil { next.show() } else { next.chooseAccount() }
      })
  }

  private func chooseAccount() {
    guard let account = question.account, shell.actions.accounts().count > 1 else { return show() }
    let choices: [Set<JID>] = [[account], []]
    shell.actions.choose(
      ChoiceRequest(
        title: localizer("scripts.ask.accountTitle"),
        labels: choices.map { texts.name(ofAccounts: $0) },
        selected: choices.firstIndex(of: grant.accounts) ?? 0
      ) { index in
        var next = self
        if let index {
          next.grant = ScriptGrant(
            grant.right, accounts: choices[index], scope: grant.scope)
        }
        next.show()
      })
  }
}

extension ScriptQuestion {
  /// All that the script asks for, in the account in which it asks.
  nonisolated var widestGrant: ScriptGrant {
    ScriptGrant(
      permission.right, accounts: permission.right.hasScope ? Set([account].compactMap { $0 }) : [],
      scope: permission.right.hasScope ? permission.scope : .all)
  }
}

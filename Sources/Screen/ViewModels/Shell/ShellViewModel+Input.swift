import FoundationEssentials
import NatterCore
import Text
import XMPP

// Effects of typed and pasted text.
extension ShellViewModel {
  /// Does what Enter does in the input.
  package func submit() {
    let aim = input.aim
    // The `/me` text of a reply or a correction is no command.
    if aim != nil, input.text.isOwnAction, let jid = input.conversation,
      obstacle(to: jid) == nil
    {
      return send("/" + input.text.trimmed.dropFirst(), to: jid, for: aim)
    }
    switch input.submission {
    // On a gap, Enter loads the missing messages; in a room that has moved, it opens the new one.
    case .nothing: if !RoomOffer.makeForSuccessor(in: self) { timeline.loadMissing() }
    case .refused(let error):
      guard let near = error.nearCommand, status.complains(about: input.text) else {
        return status.show(error.notice, about: input.text)
      }
      // Enter on what was just asked: yes, that command was meant.
      input.replaceCommand(with: near)
      submit()
    case .message(_, let jid) where obstacle(to: jid) != nil:
      if let error = obstacle(to: jid) { status.show(error.notice, about: input.text) }
    case .message(let body, let jid): send(body, to: jid, for: aim)
    case .command(let command, let call):
      let line = CommandOrigin(command, in: input, for: aim)
      typing.sent()
      status.clear()
      // First, because the command may change to another conversation and its draft.
      input.accepted()
      do {
        try CommandOrigin.$current.withValue(line) { try command.execute(call, self) }
      } catch {
        report(error, of: line)
      }
      showAim()
      openWaiting()
    }
  }

  /// Does what Enter does, and then takes the line of the history that was typed after this one.
  package func submitAndRecallNext() {
    let next = input.typedAfter
    submit()
    // What was refused stays.
    if let next, input.text.isEmpty { input.recall(typed: next) }
  }

  /// Shows an error; the failed command comes back into the input for editing, unless the user has
  /// typed since: then it is in the history.
  /// - Parameter line: the command; `nil`: it was none, or the input is restored otherwise.
  func report(_ error: any Error, of line: CommandOrigin? = CommandOrigin.current) {
    if error is CancellationError { return }
    let notice = NatterError(reporting: error, key: "error.unexpected").notice
    guard let line, let slot = giveBack(line) else { return status.show(notice) }
    if slot === current { status.show(notice, about: line.text) } else { status.show(notice) }
  }

  /// Puts a failed command back into the input, unless the user has typed since.
  /// - Returns: its conversation; `nil`: it is in the history, or a draft.
  @discardableResult func giveBack(_ line: CommandOrigin) -> ConversationViewModel? {
    guard let slot = slots.first(where: { $0.conversation == line.conversation }) else {
      if let jid = line.conversation { input.giveBack(line.text, asDraftOf: jid) }
      return nil
    }
    return slot.input.giveBack(line.text) ? slot : nil
  }

  private func send(_ body: String, to jid: JID, for aim: ComposeMode?) {
    status.clear()
    // The draft is given up after the message is stored: a crash between loses neither.
    typing.sent()
    deliver(body, typed: input.text, to: jid, for: aim)
    input.accepted()
    showAim()
  }

  /// Queues `body`; `typed` comes back into the input if it could not be stored.
  func deliver(_ body: String, typed: String, to jid: JID) {
    timeline.personWrote()
    lifetime.inOrder { [weak self, ports] in
      do {
        try await ports.sender.send(body, to: jid)
      } catch {
        self?.input(of: jid).restore(typed, to: jid)
        self?.report(error, of: nil)
      }
    }
  }

  /// The input has another text.
  func edited(_ text: String) {
    status.typed(text)
    // What is typed between two ^C says that the first one was not meant to quit.
    if !text.isEmpty { lastInterrupt = .distantPast }
  }

  /// The action of `^C`: clears the input, or shows how to quit; twice in two seconds quits.
  package func interrupt() {
    if input.pendingPaste != nil {
      answerPaste(inserts: false)
      return
    }
    if !input.text.isEmpty {
      status.clear()
      return input.clear()
    }
    if lastInterrupt.isRecent(2, at: now()) { return actions.quit() }
    lastInterrupt = now()
    // What is typed next makes it untrue, and so does the time.
    let notice = StatusNotice(.info, "status.howToQuit")
    status.show(notice, about: input.text)
    cancelInterrupt?()
    cancelInterrupt = scheduler.after(.seconds(2)) { [weak self] in self?.status.clear(notice) }
  }

  /// Takes pasted text.
  /// - Returns: what to insert now; empty when it is asked about first.
  package func paste(_ text: String) -> String {
    if let command = uploadCommand(for: text) {
      show(
        command.count == 1
          ? StatusNotice(.info, "status.dropped")
          : StatusNotice(.info, "status.droppedSeveral", ["count": "\(command.count)"]))
      return command.text
    }
    let inserted = input.paste(text)
    showAim()
    return inserted ?? ""
  }

  /// Ends the question about a large paste.
  package func answerPaste(inserts: Bool) {
    input.answerPaste(inserts: inserts)
    showAim()
  }

  /// Asks whether to send a large paste at once, or withdraws that: a single key sends nothing.
  package func askToSendPaste(_ asks: Bool) {
    input.pendingPaste?.isToBeSent = asks
    showAim()
  }

  /// Returns the candidates for `parameter`.
  func candidates(for parameter: Command.Parameter) -> [CompletionItem] {
    switch parameter {
    case .scriptName: ports.scripts?.completions(format) ?? []
    case .account: actions.accounts().map { CompletionItem(text: $0.description) }
    case .split:
      (ConversationSplit.allCases.map(\.rawValue) + ["off"]).map { CompletionItem(text: $0) }
    case .occupant: nickCandidates
    case .peer: nickCandidates + candidates(for: .person)
    case .room: roomCandidates
    case .role:
      Occupant.Role.allCases.filter { $0 != .none }.map { CompletionItem(text: $0.rawValue) }
    case .person:
      (known + hiddenConversations).filter { !people.isOccupant($0) }.map {
        CompletionItem(text: $0.description, detail: people.name(of: $0))
      }
    case .text:
      nickCandidates
        + (known + hiddenConversations).filter { !people.isRoom($0) && !people.isOccupant($0) }
        .map { CompletionItem(text: people.shortName(of: $0), detail: $0.description) }
    case .action: actions.actionNames().map { CompletionItem(text: $0.name, detail: $0.text) }
    case .language: actions.languages().map { CompletionItem(text: $0) }
    case .notifyWord: people.words.list.map { CompletionItem(text: $0) }
    case .theme: actions.themeNames().map { CompletionItem(text: $0) }
    case .topic:
      HelpTopics.keys.map { CompletionItem(text: format.localizer($0)) }
        + commands.all.map {
          CompletionItem(text: $0.name, detail: format.localizer.summary(of: $0))
        }
    case .availability:
      ["online", "away", "xa", "busy", "dnd", "chat"].map {
        CompletionItem(
          text: $0, detail: Availability.typedNames[$0].map { format.presence($0) } ?? "")
      }
    default: parameter.keywords.map { CompletionItem(text: $0) }
    }
  }

  /// There is more, or less, of what can be completed than before.
  package func candidatesChanged() { for slot in slots { slot.input.completeAgain() } }

  /// The files and folders whose path begins with what is typed.
  func pathCandidates(_ typed: String) -> [CompletionItem] {
    guard let files = ports.files else { return [] }
    return PathCompletion.items(
      for: typed, absolute: files.absolute, entries: files.entries)
  }

  /// Opens the draft in the user's own editor.
  package func editDraft() {
    let jid = input.conversation
    actions.edit(input.text) { [weak self] result in
      guard let self else { return }
      let input = jid.map { self.input(of: $0) } ?? input
      switch result {
      case .success(let text) where jid == input.conversation:
        if text != input.text { input.replaceText(text) }
      // Another conversation was opened meanwhile: the text belongs to the first.
      case .success(let text): if let jid { input.keep(text, in: jid) }
      case .failure(let error): report(error)
      }
    }
  }

  /// All conversations of the list and all contacts, the active conversation's first.
  var known: [JID] {
    let others = Set(people.contacts.keys).union(sidebar.order).subtracting(
      [sidebar.active].compactMap { $0 })
    return [sidebar.active].compactMap { $0 } + people.byName(others)
  }

  /// The addresses that match `name`: the whole name, the local part, or else the beginning of one.
  /// Hidden ones count if there is no other match.
  func known(by name: String) -> [JID] {
    let match = NameMatch(name, people)
    let found = match.found(among: known)
    return found.isEmpty ? match.found(among: hiddenConversations) : found
  }
}

import NatterCore
import Text
import XML
import XMPP

/// The input: one draft per conversation, the history, completion, pastes.
///
/// The pane owns the editing keys and reports each result (`textDidChange`); what this model puts
/// in itself raises `revision`, and the pane takes it over.
package final class InputViewModel {
  /// The effect of Enter on the present text.
  package enum Submission {
    case nothing
    case message(String, to: JID)
    case command(Command, CommandCall)
    /// It is not sent, and stays.
    case refused(NatterError)
  }

  /// A paste of more lines or bytes than this is asked about first.
  package static let pasteLineLimit = 10
  package static let pasteByteLimit = 4096
  private static let historyLimit = 200
  private static let saveDelay = Duration.milliseconds(100)
  private static let retryDelay = Duration.seconds(2)

  package let invalidation = Invalidation()
  package private(set) var conversation: JID?
  package private(set) var text = ""
  /// Bytes of UTF-8 before the cursor.
  package private(set) var cursor = 0
  /// Grows whenever the text was put in by this model.
  package private(set) var revision = 0
  /// Grows when another conversation's draft is loaded: undo must not bring its text into this one.
  package private(set) var visit = 0
  package internal(set) var completion: Completion? {
    didSet { if completion == nil { asked = nil } }
  }
  /// The last completion, until something is typed or the list is closed.
  var asked: AskedCompletion?
  /// A large paste that waits for an answer: it stays with its conversation.
  package internal(set) var pendingPaste: PendingPaste? {
    get { memory.pastes[conversation] }
    set {
      memory.pastes[conversation] = newValue
      pasteChanged()
    }
  }
  package var isFocused = true { didSet { if isFocused != oldValue { invalidation.raise() } } }
  /// Called with the text when the user has changed it.
  package var onEdit: (String) -> Void = { _ in }
  /// Called when the draft or the history cannot be read or saved.
  package var onStorageFailure: (any Error) -> Void = { _ in }
  /// Called when drafts are saved that could not be before.
  package var onStorageWorks: (_ hasDraft: Bool) -> Void = { _ in }
  /// Called when the user deleted the last of the text; not when it was sent.
  package var onEmptied: () -> Void = {}

  let localizer: Localizer
  private let conversations: any ConversationStoring
  private let histories: any InputHistoryStoring
  private let scheduler: Scheduler
  private let lifetime: Lifetime
  private let table: CommandTable
  let source: CompletionSource

  let memory: ComposerState
  var drafts: [JID: String] {
    get { memory.drafts }
    set { memory.drafts = newValue }
  }
  private var unsaved: Set<JID> {
    get { memory.unsaved }
    set { memory.unsaved = newValue }
  }
  private var history: [JID?: [String]] {
    get { memory.history }
    set { memory.history = newValue }
  }
  /// The index of the text in the history, and the text that was typed before going there.
  var historyIndex: Int?
  private var beforeHistory = ""
  private var cancelSave: (() -> Void)?

  package init(
    localizer: Localizer, conversations: any ConversationStoring,
    histories: any InputHistoryStoring, scheduler: Scheduler, lifetime: Lifetime,
    table: CommandTable, source: CompletionSource, memory: ComposerState = ComposerState()
  ) {
    self.memory = memory
    self.localizer = localizer
    self.conversations = conversations
    self.histories = histories
    self.scheduler = scheduler
    self.lifetime = lifetime
    self.table = table
    self.source = source
    resume()
  }

  /// The hint in an empty input.
  package var placeholder: String {
    localizer(conversation == nil ? "input.placeholderNone" : "input.placeholder")
  }

  // MARK: Typing

  /// Takes over what the pane's editor made of a key.
  /// - Parameter cursor: bytes of UTF-8 before the cursor.
  package func textDidChange(_ text: String, cursor: Int) {
    let isEdit = text != self.text
    completion = nil
    (self.text, self.cursor) = (text, cursor)
    if isEdit {
      historyIndex = nil
      scheduleSave()
      onEdit(text)
      if text.isEmpty { onEmptied() }
    }
    invalidation.raise()
  }

  /// Puts in `text`, the cursor at its end.
  package func replaceText(_ text: String, cursor: Int? = nil) {
    self.text = text
    self.cursor = cursor ?? text.utf8.count
    revision += 1
    scheduleSave()
    invalidation.raise()
  }

  /// Replaces the command that is typed by `name`; what follows it stays.
  func replaceCommand(with name: String) {
    let line = text.trimmed
    replaceText("/" + name + line.dropFirst().drop { !$0.isWhitespace })
  }

  /// Puts in a line, or the beginning of one; a draft that was there comes back after it.
  func begin(line: String) {
    completion = nil
    if heldDraft == nil, !text.trimmed.isEmpty {
      saveDraft()
      memory.setAside[conversation] = text
    } else {
      remember(text)
    }
    replaceText(line)
    onEdit(text)
  }

  /// Empties the input; what was there can be had back from the history.
  package func clear() {
    completion = nil
    remember(text)
    replaceText(memory.setAside.removeValue(forKey: conversation) ?? "")
    onEdit(text)
    if text.isEmpty { onEmptied() }
  }

  /// The effect of Enter now. Reading it changes nothing.
  package var submission: Submission {
    let (trimmed, line) = (text.trimmed, text.drop(while: \.isNewline))
    guard !trimmed.saysNothing else { return .nothing }
    do {
      if line.isCommandLine { return try command(trimmed) }
    } catch let error as NatterError {
      return .refused(error)
    } catch {
      return .refused(NatterError(.invalidInput, "error.unknownCommand", ["name": trimmed]))
    }
    guard let conversation else {
      return .refused(NatterError(.invalidInput, "error.noConversation"))
    }
    return .message(line.isSlashedText ? String(trimmed.dropFirst()) : trimmed, to: conversation)
  }

  /// The text was taken: the input is empty, the history has one more.
  package func accepted() {
    let taken = text
    let jid = conversation
    completion = nil
    remember(taken)
    // What was typed before a message was corrected, or a command chosen, comes back.
    let before = heldDraft ?? ""
    memory.setAside[jid] = nil
    if let jid { memory.aims[jid] = nil }
    (text, cursor) = (before, before.utf8.count)
    revision += 1
    cancelSave?()
    cancelSave = nil
    if let jid { drafts[jid] = before }
    if pendingPaste != nil { pasteChanged() }
    invalidation.raise()
    guard let jid else { return }
    lifetime.inOrder { [weak self, histories, conversations] in
      do {
        try await histories.appendToInputHistory(taken, of: jid)
        // What was typed since is saved by its own timer.
        if self?.hasDraft(of: jid) != true {
          try await conversations.setDraft("", of: jid)
        }
      } catch {
        self?.unsaved.insert(jid)
        self?.onStorageFailure(error)
      }
    }
  }

  private func command(_ line: String) throws -> Submission {
    let body = line.dropFirst()
    let name = body.prefix { !$0.isWhitespace }
    let command = try table.command(named: String(name))
    let call = CommandCall(rest: String(body.dropFirst(name.count)).trimmed)
    let words = call.rest.split(whereSeparator: \.isWhitespace).count
    // Arguments of a command without parameters are an error: it may be a message after all.
    guard words >= command.required, words == 0 || !command.parameters.isEmpty else {
      throw NatterError(
        .invalidInput, "error.usage", ["usage": localizer.usage(of: command)])
    }
    return .command(command, call)
  }

  // MARK: Conversations and drafts

  /// Changes to another conversation's draft; the present one is kept and saved.
  package func show(_ conversation: Conversation?) {
    if heldDraft != nil {
      remember(text)
      endAim()
    }
    saveDraft()
    completion = nil
    pendingPaste?.isToBeSent = false
    historyIndex = nil
    visit += 1
    // What was typed before any conversation was open belongs to none: it is not lost.
    let unplaced = self.conversation == nil ? text : ""
    let unplacedPaste = self.conversation == nil ? pendingPaste : nil
    if unplacedPaste != nil { pendingPaste = nil }
    self.conversation = conversation?.jid
    if let unplacedPaste, pendingPaste == nil { pendingPaste = unplacedPaste }
    let draft = conversation.map { drafts[$0.jid] ?? $0.draft } ?? ""
    text = [draft, unplaced].filter { !$0.isEmpty }.joined(separator: "\n")
    cursor = text.utf8.count
    if let jid = conversation?.jid { drafts[jid] = draft }
    resume()
    revision += 1
    if text != draft { scheduleSave() }
    invalidation.raise()
    if let jid = conversation?.jid, history[jid] == nil { loadHistory(of: jid) }
  }

  /// Leaves the unfinished input to the input that replaces this one.
  func hold() {
    memory.held[conversation] = ComposerState.Held(text: text, cursor: cursor)
  }

  private func resume() {
    guard let held = memory.held.removeValue(forKey: conversation) else { return }
    (text, cursor) = (held.text, held.cursor)
  }

  /// Saves what is in the input now: before it is left, and before the program ends.
  package func saveDraft() {
    cancelSave?()
    cancelSave = nil
    for jid in unsaved where jid != conversation { save(drafts[jid, default: ""], of: jid) }
    guard let conversation,
      drafts[conversation, default: ""] != draft || unsaved.contains(conversation)
        || memory.changedPastes.contains(conversation)
    else { return }
    save(draft, of: conversation)
  }

  /// Indicates whether typed text is in memory only, because it could not be saved.
  package var hasUnsavedDrafts: Bool {
    unsaved.contains(where: hasDraft)
  }

  func save(_ draft: String, of jid: JID) {
    drafts[jid] = draft
    memory.changedPastes.remove(jid)
    let draft = memory.pastes[jid]?.inserted(into: draft) ?? draft
    lifetime.inOrder { [weak self, conversations] in
      do {
        try await conversations.setDraft(draft, of: jid)
        if self?.unsaved.remove(jid) != nil, self?.unsaved.isEmpty == true {
          self?.onStorageWorks(!draft.isEmpty)
        }
      } catch {
        self?.unsaved.insert(jid)
        self?.onStorageFailure(error)
        self?.saveLater(after: Self.retryDelay)
      }
    }
  }

  private func saveLater(after delay: Duration) {
    guard cancelSave == nil else { return }
    cancelSave = scheduler.after(delay) { [weak self] in self?.saveDraft() }
  }

  // Saves at intervals while the user types, so that a crash costs the last letters at most.
  func scheduleSave() {
    if conversation != nil { saveLater(after: Self.saveDelay) }
  }

  // MARK: History

  /// Goes to the line typed before.
  /// - Returns: whether there is one.
  @discardableResult package func older() -> Bool {
    let lines = history[conversation] ?? []
    let index = (historyIndex ?? lines.count) - 1
    guard lines.indices.contains(index) else { return false }
    if historyIndex == nil { beforeHistory = text }
    recall(lines[index], index)
    return true
  }

  /// Goes to the line typed after, at last back to what was being typed.
  @discardableResult package func newer() -> Bool {
    guard let current = historyIndex else { return false }
    let lines = history[conversation] ?? []
    if lines.indices.contains(current + 1) {
      recall(lines[current + 1], current + 1)
    } else {
      recall(beforeHistory, nil)
    }
    return true
  }

  /// The history line after the one in the input; `nil` if the input is not from the history.
  var typedAfter: String? {
    guard let historyIndex, let lines = history[conversation],
      lines.indices.contains(historyIndex + 1)
    else { return nil }
    return lines[historyIndex + 1]
  }

  /// The lines that were typed in this conversation, each line once, the last first.
  package var typedLines: [String] {
    var seen: Set<String> = []
    return (history[conversation] ?? []).reversed().filter { seen.insert($0).inserted }
  }

  /// Puts in a line of the history; what was being typed comes back behind the newest one.
  package func recall(typed line: String) {
    if historyIndex == nil { beforeHistory = text }
    recall(line, history[conversation]?.lastIndex(of: line))
  }

  /// Puts text in where the cursor is.
  package func insert(_ inserted: String) {
    let position = text.utf8.index(text.startIndex, offsetBy: min(cursor, text.utf8.count))
    let head = String(text[..<position]) + inserted
    completion = nil
    historyIndex = nil
    replaceText(head + String(text[position...]), cursor: head.utf8.count)
    onEdit(text)
  }

  private func recall(_ line: String, _ index: Int?) {
    completion = nil
    replaceText(line)
    historyIndex = index
  }

  func remember(_ line: String) {
    historyIndex = nil
    guard !line.trimmed.isEmpty, history[conversation]?.last != line else { return }
    history[conversation, default: []].append(line)
    if history[conversation, default: []].count > Self.historyLimit {
      history[conversation]?.removeFirst()
    }
  }

  private func loadHistory(of jid: JID) {
    history[jid] = []
    lifetime.aside { [weak self, histories] in
      do {
        let lines = try await histories.inputHistory(of: jid, limit: Self.historyLimit)
        guard let self else { return }
        // Lines typed meanwhile are newer than all that was stored.
        let added = self.history[jid] ?? []
        self.history[jid] = (lines.last == added.first ? lines.dropLast() : lines[...]) + added
      } catch {
        self?.onStorageFailure(error)
      }
    }
  }
}

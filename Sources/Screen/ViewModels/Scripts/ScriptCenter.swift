import NatterCore
import Text
import XMPP

/// The scripts of the profile as the screen shows them, one for all accounts of the program.
package final class ScriptCenter {
  /// The actions that the program around the shells performs for scripts.
  package struct Actions {
    /// Shows a dialog above everything else, until the returned closure is called.
    package var show: (DialogViewModel) -> () -> Void = { _ in {} }
    /// Shows a notice on the account that is on the screen.
    package var notify: (StatusNotice) -> Void = { _ in }
    /// Shortens a text to a number of cells.
    package var fit: (_ text: String, _ cells: Int) -> String = { text, cells in
      String(text.prefix(cells))
    }

    /// Shows a pane of a script above everything else, until the returned closure is called.
    package var showPane: (ScriptPaneViewModel) -> () -> Void = { _ in {} }

    package init() {}
  }

  package let managing: any ScriptManaging
  package var actions = Actions()
  let statusBar = ScriptStatusBar()
  let panes = ShownScriptPane()
  /// All scripts, by name; `nil`: not read yet.
  package private(set) var list: [ScriptSummary]?
  /// The questions that wait for an answer, the oldest first.
  package private(set) var questions: [ScriptQuestion] = []
  /// Another number whenever scripts may have something else for messages on the screen.
  private(set) var decorationsVersion = 0
  private var followers: [Follower] = []

  private struct Follower {
    weak var owner: AnyObject?
    let onChange: () -> Void
  }

  package init(_ managing: any ScriptManaging) { self.managing = managing }

  package var scripts: [ScriptSummary] { list ?? [] }

  package func script(named name: String) -> ScriptSummary? {
    scripts.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// The first question, or the first one of a script.
  package func question(of script: String? = nil) -> ScriptQuestion? {
    questions.first { script == nil || $0.script == script }
  }

  /// Follows the scripts until the task is cancelled.
  package func run() async {
    let changes = managing.changes()
    await load()
    // Reading the list reads all manifests: once for all changes that come meanwhile.
    let (readings, reading) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    async let refreshing: Void = refresh(at: readings)
    defer { reading.finish() }
    for await change in changes {
      switch change {
      case .list: reading.yield()
      case .questions:
        await readQuestions()
        // The script has another state then.
        reading.yield()
        // The answer may be the right to decorate.
        if !decorators.isEmpty { decorationsChanged() }
      case .decorations: decorationsChanged()
      case .toast(let title, let text):
        actions.notify(ScriptText.toast(title: title, text: text, fit: actions.fit))
      case .notice(let notice): actions.notify(notice)
      case .status: readStatus()
      case .panes: if let title = panes.update(from: display) { reportGone(title) }
      }
    }
    reading.finish()
    await refreshing
  }

  private func refresh(at readings: AsyncStream<Void>) async {
    for await _ in readings { await refresh() }
  }

  /// Reads the list and the questions.
  package func load() async {
    readStatus()
    await refresh()
    await readQuestions()
  }

  private func readStatus() {
    statusBar.show(display?.statusItems() ?? [])
  }

  private func reportGone(_ title: String) {
    actions.notify(StatusNotice(.info, "scripts.pane.gone", ["title": title]))
  }

  /// What scripts have on the screen; `nil`: nothing.
  package var display: (any ScriptDisplaying)? { managing as? any ScriptDisplaying }

  /// Reads the list again: what the scripts use changes without any news.
  package func refresh() async {
    let scripts = await managing.scripts()
    guard scripts != list else { return }
    let before = decorators
    list = scripts
    if decorators != before { decorationsVersion += 1 }
    changed()
  }

  /// The scripts that may decorate messages, if they have the rights.
  private var decorators: [ScriptManifest] {
    scripts.filter(\.isEnabled).compactMap(\.manifest).filter { $0.decorated != nil }
  }

  /// Indicates whether a script decorates messages of a conversation, if it has the rights.
  func decorates(_ conversation: JID, _ kind: Conversation.ConversationKind) -> Bool {
    decorators.contains { $0.decorates(conversation, kind) }
  }

  /// Returns what scripts have for messages, by id, made safe: links are of those kinds only that a
  /// text of a message can have. It never takes long.
  func decorations(of request: DecorationRequest) async -> [Message.ID: MessageDecoration] {
    guard let decorating = managing as? any MessageDecorating else { return [:] }
    return await decorating.decorations(of: request).mapValues { decoration in
      MessageDecoration(
        spans: decoration.spans.map { span in
          MessageDecoration.Span(
            span.range, span.role, link: span.link.flatMap { MessageMarkup.isLink($0) ? $0 : nil })
        },
        notes: decoration.notes.map { actions.fit(ErrorText.oneLine($0, limit: 80), 80) }
          .filter { !$0.isEmpty })
    }
  }

  private func decorationsChanged() {
    decorationsVersion += 1
    changed()
  }

  private func readQuestions() async {
    let open = await managing.questions.open()
    guard open != questions else { return }
    questions = open
    changed()
  }

  /// Has `onChange` called when something is different, as long as `owner` exists.
  package func follow(for owner: AnyObject, _ onChange: @escaping () -> Void) {
    followers.append(Follower(owner: owner, onChange: onChange))
  }

  private func changed() {
    followers.removeAll { $0.owner == nil }
    for follower in followers { follower.onChange() }
  }

  /// The candidates for the name of a script.
  func completions(_ format: ItemFormat) -> [CompletionItem] {
    scripts.map { script in
      CompletionItem(
        text: script.name,
        detail: script.manifest.map { ScriptText(format).title(of: $0) } ?? "")
    }
  }
}

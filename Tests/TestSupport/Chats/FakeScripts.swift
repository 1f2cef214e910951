import NatterCore
import Synchronization
import XMPP

/// Scripts in memory, and what is done with them.
package actor FakeScripts: ScriptManaging, ScriptAsking, ScriptSettingChanging,
  ScriptDisplaying, MessageDecorating
{
  /// The calls that change something, in order: `enable greeter`, `answer 1 once`.
  package private(set) var calls: [String] = []
  /// The commands that were run, in order.
  package private(set) var commands: [ScriptCommandCall] = []
  /// How often the list was read.
  package private(set) var readings = 0
  /// Holds the answer to the readings of the list until `release`.
  private var held: [CheckedContinuation<Void, Never>]?
  private var list: [ScriptSummary]?
  private var waiting: [ScriptQuestion] = []
  private var lines: [String] = []
  private var result: Result<ScriptCommandResult, NatterError> = .success(.nothing)
  /// The requests about the screen, in order.
  package private(set) var screenCalls: [ScriptScreenCall] = []
  private let status = Mutex<[ScriptStatusItem]>([])
  private let panes = Mutex<[ScriptPane]>([])
  /// The messages that scripts were asked about.
  package private(set) var decorated: [DecorationRequest] = []
  private var marks: [String: MessageDecoration] = [:]
  private let stream: AsyncStream<ScriptChange>
  private let news: AsyncStream<ScriptChange>.Continuation

  /// - Parameter list: `nil`: they have not begun.
  package init(_ list: [ScriptSummary]? = []) {
    self.list = list
    (stream, news) = AsyncStream<ScriptChange>.makeStream()
  }

  package func set(_ list: [ScriptSummary]) {
    self.list = list
    news.yield(.list)
  }
  package func ask(_ question: ScriptQuestion) {
    waiting.append(question)
    news.yield(.questions)
  }
  package func setLog(_ lines: [String]) { self.lines = lines }
  /// Has commands answer this from now on.
  package func setResult(_ result: Result<ScriptCommandResult, NatterError>) {
    self.result = result
  }
  package nonisolated func setStatus(_ items: [ScriptStatusItem]) {
    status.withLock { $0 = items }
    news.yield(.status)
  }
  package nonisolated func statusItems() -> [ScriptStatusItem] { status.withLock(\.self) }
  /// Sets the content of all panes.
  package nonisolated func setPanes(_ panes: [ScriptPane]) {
    self.panes.withLock { $0 = panes }
    news.yield(.panes)
  }
  package nonisolated func pane(_ id: String, of script: String) -> ScriptPane? {
    panes.withLock { $0.first { $0.id == id && $0.script == script } }
  }
  package func ask(_ call: ScriptScreenCall) throws -> ScriptCommandResult {
    screenCalls.append(call)
    return try result.get()
  }
  package func report(_ change: ScriptChange) { news.yield(change) }
  /// Has messages with a text decorated from now on; `nil`: not any more.
  package func mark(_ text: String, _ decoration: MessageDecoration?) { marks[text] = decoration }
  package func decorations(of request: DecorationRequest) -> [Message.ID: MessageDecoration] {
    decorated.append(request)
    var found: [Message.ID: MessageDecoration] = [:]
    for message in request.messages { found[message.id] = marks[message.body] }
    return found
  }
  /// No more news come.
  package func end() { news.finish() }

  package func scripts() async -> [ScriptSummary]? {
    readings += 1
    if held != nil { await withCheckedContinuation { held?.append($0) } }
    return list
  }
  /// Has readings of the list wait for `release`.
  package func hold() { held = [] }
  package func release() {
    let waiting = held ?? []
    held = nil
    for continuation in waiting { continuation.resume() }
  }
  package func setEnabled(_ isEnabled: Bool, _ script: String) {
    calls.append("\(isEnabled ? "enable" : "disable") \(script)")
  }
  package func restart(_ script: String) { calls.append("restart \(script)") }
  package func revoke(_ right: ScriptRight?, of script: String) {
    calls.append("revoke \(right?.name ?? "all") \(script)")
  }
  package func log(of script: String) -> [String] { lines }
  package func run(_ call: ScriptCommandCall) throws -> ScriptCommandResult {
    commands.append(call)
    return try result.get()
  }
  package nonisolated func changes() -> AsyncStream<ScriptChange> { stream }
  package nonisolated var questions: any ScriptAsking { self }

  package func open() -> [ScriptQuestion] { waiting }
  package func answer(_ question: ScriptQuestion.ID, _ answer: ScriptAnswer) {
    waiting.removeAll { $0.id == question }
    calls.append("answer \(question) \(Self.text(of: answer))")
  }

  private static func text(of answer: ScriptAnswer) -> String {
    func text(of grant: ScriptGrant) -> String {
      let accounts = grant.accounts.map(\.description).sorted()
      return ([grant.right.name] + grant.scope.names + accounts).joined(separator: " ")
    }
    return switch answer {
    case .no: "no"
    case .never: "never"
    case .once: "once"
    case .onceWithin(let grant): "once \(text(of: grant))"
    case .session(let grant): "session \(text(of: grant))"
    case .always(let grant): "always \(text(of: grant))"
    }
  }

  package func setSetting(_ name: String, to value: String?, of script: String) {
    calls.append("set \(script).\(name) \(value ?? "default")")
  }
}

extension ScriptSummary {
  /// A script that greets in rooms.
  package static func greeter(
    _ state: ScriptState = .running, title: String = "Greeter"
  ) -> ScriptSummary {
    var manifest = ScriptManifest(title: title, version: "1.0", run: ["node", "greeter.mjs"])
    manifest.permissions = [
      .init(
        .bridge(.readMessages), why: "to see who is new", scope: BridgeScope(hasRooms: true)),
      .init(.bridge(.sendMessages), why: "to greet", scope: BridgeScope(hasRooms: true)),
    ]
    manifest.commands = [
      .init(name: "greet", arguments: "NICK", help: "says hello", isInPalette: true)
    ]
    manifest.settings = [.init(name: "word", help: "the first word", standard: "Hello")]
    return ScriptSummary(name: "greeter", state: state, manifest: manifest)
  }
}

extension ScriptSummary {
  /// A script that decorates messages.
  package static func tickets(
    _ state: ScriptState = .running, in scope: BridgeScope = .all
  ) -> ScriptSummary {
    var manifest = ScriptManifest(title: "Tickets", version: "1.0", run: ["node", "tickets.mjs"])
    manifest.permissions = [
      .init(.bridge(.readMessages), why: "to find tickets"),
      .init(.decorations, why: "to mark them"),
    ]
    manifest.decorated = scope
    return ScriptSummary(name: "tickets", state: state, manifest: manifest)
  }
}

extension ScriptQuestion {
  /// A question of the greeter, in the account of alice.
  package static func greeter(
    id: Int = 1, title: String = "Greeter", scope: BridgeScope = BridgeScope(hasRooms: true),
    conversation: JID? = nil, canPassOn: Bool = false
  ) -> ScriptQuestion {
    ScriptQuestion(
      id: id, script: "greeter", title: title,
      permission: .init(.bridge(.readMessages), why: "to see who is new", scope: scope),
      account: JID(local: "alice", domain: "example.org"), conversation: conversation,
      canPassOn: canPassOn)
  }
}

import Diagnostics
import NatterCore
import XMPP

/// Asks one script about what is on the screen.
protocol ScriptScreenHosting: Sendable {
  /// Asks about something that it has on the screen; starts the program if necessary.
  /// - Throws: `NatterError`.
  func ask(_ call: ScriptScreenCall) async throws -> ScriptCommandResult
  /// Has the program decorate messages; starts it if it is to be started for that.
  /// - Returns: `nil`: it was not asked.
  func decorate(_ request: DecorationRequest) async -> [Message.ID: MessageDecoration]?
}

/// Runs one script.
protocol ScriptHosting: ScriptScreenHosting {
  /// Starts its program, and waits until it has said hello.
  /// - Throws: `NatterError`.
  func start() async throws
  /// Ends its program in order; it is killed where it does not end.
  func stop() async
  /// Ends its program in order, as `stop` does, and never starts it again.
  func retire() async
  /// Runs a command; starts the program if necessary.
  /// - Throws: `NatterError`.
  func run(_ call: ScriptCommandCall) async throws -> ScriptCommandResult
  /// Starts its program because of an event, if the script is to be woken by it.
  /// - Parameter cursors: the last message before those that it is to be sent, by bare account;
  ///   where it was sent any before, that one counts.
  func wake(for event: String, after cursors: [String: Int]) async
  /// Lets the program work with the accounts that are open now.
  func accountsChanged() async
  /// The last message of each account that the program was sent, by bare address.
  var cursors: [String: Int] { get async }
  /// The last lines of its standard error, the oldest first; untrusted.
  func logLines() async -> [String]
}

extension ScriptHost: ScriptHosting {}

/// The parts of the program that `Scripts` works with.
package struct ScriptsSetup: Sendable {
  let folders: ScriptFolders
  /// Returns the scripts in the folders. It blocks.
  let read: @Sendable () -> [FoundScript]
  /// Returns the script of a `ScriptName`, without reading the others; `nil`: there is none. It
  /// blocks.
  package var find: @Sendable (String) -> FoundScript?
  /// Returns what starts programs; asked for once there is a script.
  let starter: @Sendable () async -> any ScriptStarting
  let bridging: any ScriptBridging
  let log: Log
  /// Describes the program around the scripts.
  package var about: @Sendable () async -> ScriptEnvironment = {
    ScriptEnvironment(version: "", locale: "en", themeName: "", isDark: true)
  }
  /// `false`: there is no user to ask.
  package var mayAsk = true
  /// Called once, before the first script may run. It returns why none may; `nil`: they may.
  package var permit: @Sendable () async -> StatusNotice? = { nil }
  /// Returns why the folder of the user's scripts cannot be read; `nil`: it can, or there is none.
  /// It blocks.
  package var problem: @Sendable () -> StatusNotice? = { nil }
  /// Returns a sentence in the user's language.
  package var texts: BridgeError.Texts = { $0.key }
  package var clock = BridgeClock()
  var makeHost: @Sendable (HostedScript, ScriptHostServices) -> any ScriptHosting = {
    ScriptHost($0, $1)
  }

  package init(
    _ folders: ScriptFolders, read: @escaping @Sendable () -> [FoundScript],
    starter: @escaping @Sendable () async -> any ScriptStarting, bridging: any ScriptBridging,
    log: Log
  ) {
    (self.folders, self.read) = (folders, read)
    find = { name in read().first { $0.name == name } }
    (self.starter, self.bridging, self.log) = (starter, bridging, log)
  }

  /// Returns the script of a name as its files describe it now.
  func found(_ name: String) -> FoundScript? {
    // The list has the folders, too, whose names are no names of scripts.
    ScriptName.isValid(name) ? find(name) : read().first { $0.name == name }
  }
}

/// A script that is enabled, and what its host has reported.
struct ManagedScript {
  let rights: ScriptRights
  var host: any ScriptHosting
  var hosted: HostedScript
  /// Another number for each host: what an earlier one reports late does not count.
  var number: Int
  var state = ScriptState.sleeping
  var memory: Int?
  var processor: Int?
  /// The requests of earlier hosts in this run, and of this one.
  var earlierRequests = 0
  var requests = 0
  /// The same of what was not shown or logged.
  var earlierDropped = 0
  var dropped = 0
  /// What its host has for messages on the screen; `nil`: it decorates none.
  var decorations: ScriptDecorations?
  /// The accounts in which its rights to decorate were asked for.
  var askedToDecorate: Set<JID> = []
  /// Indicates whether it was started because an account is online.
  var hasLoggedIn = false
  /// Indicates whether it is to be started once an account is open again.
  var isPaused = false
  /// Limits how often events start it: five times at once, then once in five seconds.
  var wakes = RateLimit(0.2, burst: 5)
  /// Indicates whether an event is waking it.
  var isWaking = false
  /// The last message before those that wake it, by bare account.
  var before: [String: Int] = [:]
  /// Indicates whether it is ended and started again.
  var isReloading = false

  mutating func use(memory: Int?, processor: Int?) {
    (self.memory, self.processor) = (memory, processor)
  }

  /// Notes the counts and the use that its host has reported.
  mutating func note(_ event: ScriptHostEvent) {
    switch event {
    case .usage(let memory, let processor): use(memory: memory, processor: processor)
    case .requests(let count): requests = count
    case .dropped(let count): dropped = count
    case .state, .toast, .status, .pane, .ended: break
    }
  }

  /// Removes what it may not show any more.
  func checkScreen(_ board: ScriptBoard) {
    board.check(hosted.name, rights.ledger)
    if decorations != nil { board.changes.send(.decorations) }
  }

  /// Begins to count for another host.
  mutating func beginCounts() {
    (earlierRequests, earlierDropped) = (earlierRequests + requests, earlierDropped + dropped)
    (requests, dropped) = (0, 0)
  }

  /// Adds what it uses to its row in the list.
  func describe(_ summary: inout ScriptSummary) {
    if isRunning { (summary.memory, summary.processor) = (memory, processor) }
    summary.requests = earlierRequests + requests
    summary.dropped = earlierDropped + dropped
  }

  /// Takes an event, while it sleeps or is being woken.
  /// - Returns: whether it is to be woken because of it.
  mutating func isWoken(by event: ScriptWake, _ mayAsk: Bool) -> Bool {
    let manifest = hosted.manifest
    guard state == .sleeping, manifest.start == .lazy, manifest.events.contains(event.name),
      maySee(event.name, mayAsk: mayAsk)
    else { return false }
    // The first one of each account counts: it reads all that follow from the store.
    if let message = event.message {
      let account = event.account.description
      before[account] = before[account] ?? message - 1
    }
    defer { isWaking = true }
    return !isWaking
  }

  mutating func endWaking() { (isWaking, before) = (false, [:]) }

  /// Returns whether an event may start it: it holds the right for it, or can ask for it then.
  /// Otherwise its start would say that something has happened.
  private func maySee(_ event: String, mayAsk: Bool) -> Bool {
    guard let right = ScriptEvents.right(for: event) else { return false }
    switch rights.ledger.decision(right, in: nil) {
    case .held: return true
    case .refused(let reason): return reason == .notAsked && mayAsk
    }
  }

  var isRunning: Bool { state == .running || state == .asking }
}

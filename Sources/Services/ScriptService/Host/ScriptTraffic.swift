import Diagnostics
import JSONLines
import NatterCore
import Synchronization

/// What a host knows of the traffic of its script, over all runs: which messages it has
/// answered, and which it was sent last.
final class ScriptTraffic: Sendable {
  private struct State {
    var answered = AnsweredMessages()
    var cursors: [String: Int]
    var requests = 0
    var dropped = 0
    var lastWork = Duration.zero
  }

  private let state: Mutex<State>

  init(_ script: HostedScript) {
    state = Mutex(State(cursors: script.cursors))
  }

  /// The id of the last message of each account that the script was sent, by bare address.
  var cursors: [String: Int] { state.withLock { $0.cursors } }
  /// The number of its requests.
  var requests: Int { state.withLock { $0.requests } }
  /// The number of its texts that were not shown or logged, because there were too many,
  /// and of the parts of its decorations that were not valid.
  var dropped: Int { state.withLock { $0.dropped } }
  /// When it last asked for something, or was sent something.
  var lastWork: Duration { state.withLock { $0.lastWork } }

  func countRequest() { state.withLock { $0.requests += 1 } }
  func countDropped(_ count: Int = 1) { state.withLock { $0.dropped += count } }

  /// - Parameter now: of a clock that never goes back.
  func noteWork(at now: Duration) { state.withLock { $0.lastWork = now } }

  /// Notes the id of a message that was sent to the script, or that its subscription begins after.
  func reach(_ message: Int, of account: String) {
    state.withLock { $0.cursors[account] = max($0.cursors[account] ?? 0, message) }
  }

  /// Notes where accounts begin of which the script was sent nothing.
  func begin(after cursors: [String: Int]) {
    state.withLock { $0.cursors.merge(cursors) { known, _ in known } }
  }

  /// Counts a request to send (`AnsweredMessages.take`).
  /// - Throws: `BridgeError.Code.tooFast`.
  func send(
    _ parameters: [String: JSONValue]
  ) throws(BridgeError) -> AnsweredMessages.Ticket? {
    let result = state.withLock { state -> Result<AnsweredMessages.Ticket?, BridgeError> in
      do throws(BridgeError) { return .success(try state.answered.take(parameters)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Takes back a request to send that failed.
  func fail(_ ticket: AnsweredMessages.Ticket) { state.withLock { $0.answered.fail(ticket) } }
}

/// The parts of a host that all runs of its script share.
struct ScriptParts: Sendable {
  let script: HostedScript
  let services: ScriptHostServices
  let storage: ScriptStorage
  let log: ScriptLog
  let traffic: ScriptTraffic
  /// Performs what a script stores one after the other.
  let stored = SerialInbox<SingleLane>()

  init(_ script: HostedScript, _ services: ScriptHostServices) {
    (self.script, self.services) = (script, services)
    storage = ScriptStorage(ScriptStorage.folder(beside: script.storage))
    log = ScriptLog(script.name, file: script.logFile, now: services.clock.now)
    traffic = ScriptTraffic(script)
  }
}

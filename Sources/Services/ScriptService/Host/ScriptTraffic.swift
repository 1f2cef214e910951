import Diagnostics
import JSONLines
import NatterCore
import Synchronization
import XMPP

/// What a host knows of the traffic of its script, over all runs: how much it sent, and which
/// messages it was sent last.
final class ScriptTraffic: Sendable {
  private struct State {
    var limits: SendingLimits
    var cursors: [String: Int]
    var requests = 0
    var lastWork = Duration.zero
  }

  private let state: Mutex<State>

  init(_ script: HostedScript) {
    state = Mutex(
      State(limits: SendingLimits(perHour: script.sendingPerHour), cursors: script.cursors))
  }

  /// The id of the last message of each account that the script was sent, by bare address.
  var cursors: [String: Int] { state.withLock { $0.cursors } }
  /// The number of its requests.
  var requests: Int { state.withLock { $0.requests } }
  /// When it last asked for something, or was sent something.
  var lastWork: Duration { state.withLock { $0.lastWork } }

  func countRequest() { state.withLock { $0.requests += 1 } }

  /// - Parameter now: of a clock that never goes back.
  func noteWork(at now: Duration) { state.withLock { $0.lastWork = now } }

  /// Notes the id of a message that was sent to the script, or that its subscription begins after.
  func reach(_ message: Int, of account: String) {
    state.withLock { $0.cursors[account] = max($0.cursors[account] ?? 0, message) }
  }

  /// Counts a request to send (`SendingLimits.take`).
  /// - Throws: `BridgeError.Code.tooFast`.
  func send(
    _ parameters: [String: JSONValue], at now: Duration
  ) throws(BridgeError) -> SendingLimits.Ticket? {
    let result = state.withLock { state -> Result<SendingLimits.Ticket?, BridgeError> in
      do throws(BridgeError) { return .success(try state.limits.take(parameters, at: now)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Takes back a request to send that failed.
  func fail(_ ticket: SendingLimits.Ticket) { state.withLock { $0.limits.fail(ticket) } }

  /// Notes another person's message.
  func hear(in conversation: JID) { state.withLock { $0.limits.hear(in: conversation) } }
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

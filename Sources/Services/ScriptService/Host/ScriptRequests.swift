import JSONLines
import NatterCore
import Synchronization

/// The reason why a request of Natter to a script has no result.
enum ScriptCallError: Error, Hashable, Sendable {
  case timedOut
  /// The script has ended.
  case gone
  /// The message of the script; untrusted.
  case refused(String)
}

/// The requests of Natter to a script, with the ids `n1`, `n2`...
final class ScriptRequests: Sendable {
  /// The request that only asks whether the script works.
  static let ping = "ping"

  private enum Answer: Sendable {
    case result(JSONValue)
    case failure(ScriptCallError)
  }

  private struct Pending {
    let answer: Outcome<Answer>
    let isWork: Bool
    var hasProgress = false
  }

  private struct State {
    var pending: [String: Pending] = [:]
    var last = 0
    var timeouts = 0
    var isEnded = false
  }

  private let state = Mutex(State())
  private let clock: BridgeClock
  private let send: @Sendable (String) -> Bool
  private let whenHung: @Sendable () -> Void

  /// - Parameters:
  ///   - send: queues a line for the script.
  ///   - whenHung: called when too many requests in a row had no answer.
  init(
    _ clock: BridgeClock, send: @escaping @Sendable (String) -> Bool,
    whenHung: @escaping @Sendable () -> Void
  ) {
    (self.clock, self.send, self.whenHung) = (clock, send, whenHung)
  }

  /// Indicates whether none waits for its answer; `ping` does not count.
  var isIdle: Bool { state.withLock { !$0.pending.values.contains(where: \.isWork) } }

  /// Asks the script, and waits for its answer.
  /// - Parameters:
  ///   - limit: the time that it has.
  ///   - longer: the time that it has if it reports progress; at least `limit`.
  func call(
    _ method: String, _ parameters: JSONLine, within limit: Duration, longer: Duration? = nil
  ) async throws(ScriptCallError) -> JSONValue {
    let answer = Outcome<Answer>()
    let id = state.withLock { state -> String? in
      if state.isEnded { return nil }
      state.last += 1
      let id = "n\(state.last)"
      state.pending[id] = Pending(answer: answer, isWork: method != Self.ping)
      return id
    }
    guard let id else { throw .gone }
    // A line that the script has no room for counts as one that it does not answer.
    _ = send(BridgeLine.request(method, parameters, id: .text(id)))
    var outcome = await clock.wait(for: answer, atMost: limit)
    if outcome == nil, let longer, state.withLock({ $0.pending[id]?.hasProgress == true }) {
      outcome = await clock.wait(for: answer, atMost: longer - limit)
    }
    state.withLock { $0.pending[id] = nil }
    switch outcome {
    case .result(let value): return value
    case .failure(let error): throw error
    case nil:
      if !Task.isCancelled { noteTimeout() }
      throw .timedOut
    }
  }

  /// Takes the answer of a script. One to no request, or that comes late, is ignored.
  func take(_ answer: JSONValue) {
    guard let id = answer["id"]?.string else { return }
    let pending = state.withLock { state in
      state.timeouts = 0
      return state.pending.removeValue(forKey: id)
    }
    if let error = answer["error"] {
      pending?.answer.settle(.failure(.refused(error["message"]?.string ?? "")))
    } else {
      pending?.answer.settle(.result(answer["result"] ?? .null))
    }
  }

  /// Notes that a request takes longer.
  /// - Returns: `false` if it does not wait.
  func noteProgress(of id: String) -> Bool {
    state.withLock { state in
      state.pending[id]?.hasProgress = true
      return state.pending[id] != nil
    }
  }

  /// Ends all requests: the script is gone.
  func end() {
    let pending = state.withLock { state in
      state.isEnded = true
      defer { state.pending = [:] }
      return state.pending.values.map(\.answer)
    }
    for answer in pending { answer.settle(.failure(.gone)) }
  }

  private func noteTimeout() {
    let isHung = state.withLock { state in
      state.timeouts += 1
      return state.timeouts == ScriptLimits.timeouts
    }
    if isHung { whenHung() }
  }
}

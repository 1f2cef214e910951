import NatterCore
import Synchronization

/// What a script has for messages on the screen. It is asked about each of them once, one request
/// at a time, and nothing waits for it longer than `ScriptLimits.decoration.forFrame`.
final class ScriptDecorations: Sendable {
  /// Asks the script about a batch of messages; `nil`: it was not asked.
  typealias Asking = @Sendable (DecorationRequest) async -> [Message.ID: MessageDecoration]?

  fileprivate struct State {
    var cache = DecorationCache()
    /// Those that it was not asked about yet, the oldest first.
    var waiting: [DecorationRequest] = []
    /// Set once nothing waits any more; `nil`: the script is not being asked.
    var settled: Outcome<Bool>?
    /// Indicates whether a request was answered before the script had answered all of it.
    var isAwaited = false
    var isEnded = false
  }

  private let state = Mutex(State())
  private let clock: BridgeClock
  private let isAllowed: @Sendable (DecorationRequest) -> Bool
  private let ask: Asking
  private let onNews: @Sendable () -> Void

  /// - Parameters:
  ///   - isAllowed: returns whether the script may see, and mark, the messages of a conversation.
  ///   - onNews: called when an answer has come that a request did not wait for.
  init(
    _ clock: BridgeClock, isAllowed: @escaping @Sendable (DecorationRequest) -> Bool,
    ask: @escaping Asking, onNews: @escaping @Sendable () -> Void
  ) {
    (self.clock, self.isAllowed, self.ask, self.onNews) = (clock, isAllowed, ask, onNews)
  }

  /// Returns what the script has for messages, and has it asked about the others.
  func decorations(of request: DecorationRequest) async -> [Message.ID: MessageDecoration] {
    guard isAllowed(request) else { return [:] }
    let (settled, isFirst) = state.withLock { $0.queue(request) }
    if isFirst, let settled { Task { await work(settled) } }
    if let settled { _ = await clock.wait(for: settled, atMost: ScriptLimits.decoration.forFrame) }
    // The right may be gone by now.
    guard isAllowed(request) else { return [:] }
    return state.withLock { $0.known(of: request) }
  }

  /// Forgets everything: another program of the script, or none, follows.
  func end() {
    state.withLock { ($0.cache, $0.waiting, $0.isEnded) = (DecorationCache(), [], true) }
    onNews()
  }

  private func work(_ settled: Outcome<Bool>) async {
    while let batch = state.withLock({ $0.next() }) {
      let answer = isAllowed(batch) ? await ask(batch) : nil
      if state.withLock({ $0.take(answer, to: batch) }) { onNews() }
    }
    settled.settle(true)
  }
}

extension ScriptDecorations.State {
  /// Takes the messages of a request that the script was not asked about.
  /// - Returns: what is set when it has answered; `nil`: all of them are known. And whether asking
  ///   has to begin.
  fileprivate mutating func queue(
    _ request: DecorationRequest
  ) -> (settled: Outcome<Bool>?, isFirst: Bool) {
    guard !isEnded else { return (nil, false) }
    var new: [DecorationRequest.Subject] = []
    for subject in request.messages where subject.body.utf8.count <= DecorationRequest.bodyLimit {
      guard cache.find(subject, of: request.account) == .unknown else { continue }
      cache.ask(subject, of: request.account)
      new.append(subject)
    }
    guard !new.isEmpty else { return (settled, false) }
    waiting += request.batches(of: new)
    // What was passed over quickly is asked about when it is shown again.
    while waiting.count > ScriptLimits.decoration.waiting { forget(waiting.removeFirst()) }
    if let settled { return (settled, false) }
    let outcome = Outcome<Bool>()
    settled = outcome
    return (outcome, true)
  }

  private mutating func forget(_ batch: DecorationRequest) {
    for subject in batch.messages { cache.forget(subject, of: batch.account) }
  }

  /// Returns the next messages to ask about; `nil`: none, and asking has ended.
  fileprivate mutating func next() -> DecorationRequest? {
    if !waiting.isEmpty { return waiting.removeFirst() }
    settled = nil
    return nil
  }

  /// - Returns: whether it is news for a request that did not wait for it.
  fileprivate mutating func take(
    _ answer: [Message.ID: MessageDecoration]?, to batch: DecorationRequest
  ) -> Bool {
    guard !isEnded else { return false }
    guard let answer else {
      forget(batch)
      return false
    }
    for subject in batch.messages {
      cache.answer(subject, of: batch.account, answer[subject.id] ?? MessageDecoration())
    }
    return isAwaited && !answer.isEmpty
  }

  fileprivate mutating func known(
    of request: DecorationRequest
  ) -> [Message.ID: MessageDecoration] {
    var known: [Message.ID: MessageDecoration] = [:]
    if settled == nil { isAwaited = false }
    for subject in request.messages {
      switch cache.find(subject, of: request.account) {
      case .unknown: continue
      case .asked: isAwaited = true
      case .answered(let decoration): if !decoration.isEmpty { known[subject.id] = decoration }
      }
    }
    return known
  }
}

extension DecorationRequest {
  /// Returns the same request for some of its messages, in parts that a script is asked about at
  /// once.
  fileprivate func batches(of messages: [Subject]) -> [DecorationRequest] {
    var batches: [DecorationRequest] = []
    var part: [Subject] = []
    var bytes = 0
    func end() {
      guard !part.isEmpty else { return }
      batches.append(DecorationRequest(part, in: conversation, kind, of: account))
      (part, bytes) = ([], 0)
    }
    for message in messages {
      let size = message.body.utf8.count
      if part.count == ScriptLimits.decoration.messages
        || bytes + size > ScriptLimits.decoration.bytes
      {
        end()
      }
      part.append(message)
      bytes += size
    }
    end()
    return batches
  }
}

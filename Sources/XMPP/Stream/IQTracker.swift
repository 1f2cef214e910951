import Synchronization

/// Matches answers to questions (RFC 6120 §8.2.3): by id, and only from whom was asked.
final class IQTracker: Sendable {
  private struct Question {
    let to: JID?
    let continuation: CheckedContinuation<Element, any Error>
  }

  private struct State {
    var open: [String: Question] = [:]
    /// Cancelled before they were registered.
    var cancelled: Set<String> = []
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let account: JID

  /// - Parameter account: the full address of this session.
  init(account: JID) { self.account = account }

  /// Has `continuation` resumed with the answer to the question `id`, or with the reason why there is none.
  /// - Returns: whether the question is still worth asking.
  func register(
    _ id: String, askedOf peer: JID?, _ continuation: CheckedContinuation<Element, any Error>
  ) -> Bool {
    let refusal = state.withLock { state -> (any Error)? in
      if state.hasEnded { return ChannelError.notConnected }
      if state.cancelled.remove(id) != nil { return CancellationError() }
      state.open[id] = Question(to: peer, continuation: continuation)
      return nil
    }
    if let refusal { continuation.resume(throwing: refusal) }
    return refusal == nil
  }

  /// Nobody waits for this answer any more.
  func cancel(_ id: String) {
    let question = state.withLock { state -> Question? in
      if let question = state.open.removeValue(forKey: id) { return question }
      if !state.hasEnded { state.cancelled.insert(id) }
      return nil
    }
    question?.continuation.resume(throwing: CancellationError())
  }

  /// Takes an IQ of type result or error; one that answers no open question is dropped.
  func receive(_ iq: IQ) {
    guard let id = iq.id else { return }
    let question = state.withLock { state -> Question? in
      guard let question = state.open[id], isAnswer(from: iq, to: question.to) else { return nil }
      state.open[id] = nil
      return question
    }
    guard let question else { return }
    if iq.kind == .error {
      question.continuation.resume(
        throwing: iq.error ?? StanzaError(.cancel, .undefinedCondition))
    } else {
      question.continuation.resume(returning: iq.element)
    }
  }

  /// The stream is over: every open question fails, and so does every further one.
  func end() {
    let open = state.withLock { state in
      state.hasEnded = true
      defer { state.open = [:] }
      return state.open
    }
    for question in open.values {
      question.continuation.resume(throwing: ChannelError.notConnected)
    }
  }

  /// A question without an address is for the own account, and the server answers it in one of these names.
  func isAnswer(from iq: IQ, to peer: JID?) -> Bool {
    let server = JID(local: nil, domain: account.domain)
    // Without a sender it is the own account's or its server's; one that cannot be read is nobody's. Nobody else has this
    // session's full address: some servers put it on their own answers.
    guard let sender = iq.sender.jid(ifAbsent: account) else { return false }
    guard let peer else { return [account, account.bare, server].contains(sender) }
    return iq.from == peer || sender == account && (peer == account.bare || peer == server)
  }
}

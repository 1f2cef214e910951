import Synchronization
import XML

/// Matches responses to requests (RFC 6120 §8.2.3): by id, and only from the entity that was asked.
final class IQTracker: Sendable {
  private struct Question {
    let to: JID?
    let continuation: CheckedContinuation<Element, any Error>
  }

  private struct State {
    var open: [String: Question] = [:]
    /// The ids of requests that were cancelled before they were registered.
    var cancelled: Set<String> = []
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let account: JID

  /// - Parameter account: The full JID of this session.
  init(account: JID) { self.account = account }

  /// Resumes `continuation` later with the response to the request `id`, or with the error that
  /// prevents it.
  /// - Returns: `true` if the request is still to be sent.
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

  /// Cancels the request `id`: its task no longer waits for the response.
  func cancel(_ id: String) {
    let question = state.withLock { state -> Question? in
      if let question = state.open.removeValue(forKey: id) { return question }
      if !state.hasEnded { state.cancelled.insert(id) }
      return nil
    }
    question?.continuation.resume(throwing: CancellationError())
  }

  /// Takes an IQ of type result or error; drops it when it answers no open request.
  func receive(_ iq: IQ) {
    guard let id = iq.id else { return }
    let question = state.withLock { state -> Question? in
      guard let question = state.open[id], isAnswer(from: iq, to: question.to) else { return nil }
      state.open[id] = nil
      return question
    }
    guard let question else { return }
    if iq.element.exceedsLimit {
      let error = iq.kind == .error ? iq.error : nil
      question.continuation.resume(throwing: error ?? StanzaError.answerTooLarge)
    } else if iq.kind == .error {
      question.continuation.resume(
        throwing: iq.error ?? StanzaError(.cancel, .undefinedCondition))
    } else {
      question.continuation.resume(returning: iq.element)
    }
  }

  /// Ends the stream: every open request fails, and so does every later one.
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

  /// Returns whether `iq` may answer a request to `peer`. A request without an address is for the
  /// own account, and the server answers it in one of several names.
  func isAnswer(from iq: IQ, to peer: JID?) -> Bool {
    let server = JID(local: nil, domain: account.domain)
    // A missing sender means the own account or its server; an unreadable one matches nothing.
    // Nothing else has this session's full JID, and some servers put it on their own answers.
    guard let sender = iq.sender.jid(ifAbsent: account) else { return false }
    guard let peer else { return [account, account.bare, server].contains(sender) }
    return iq.from == peer || sender == account && (peer == account.bare || peer == server)
  }
}

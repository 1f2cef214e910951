import Synchronization

/// The events that wait for the server's next batch, in the order of arrival.
///
/// A mutex and not an actor, so that events keep the order in which they are posted.
final class Mailbox: Sendable {
  /// The result of an event for the task that posted it.
  struct Reply: Sendable {
    var restartsParser = false
    var isAuthenticated = false
    /// The session that waits to be resumed since its connection closed, and the number of times
    /// that its connection has closed.
    var waiting: (session: ConnectionID, closures: Int)?
    /// The reason why a request for an account is refused; `nil` if the account was created. The
    /// default applies when the server stops before it handles the request.
    var refusal: StanzaRefusal? = .serviceUnavailable
  }

  struct Entry: Sendable {
    let event: ServerEvent
    /// `nil` if no task waits for the result.
    let reply: CheckedContinuation<Reply, Never>?
  }

  private struct State {
    var entries: [Entry] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let wake: AsyncStream<Void>.Continuation
  /// Yields whenever there are entries.
  let signals: AsyncStream<Void>

  init() {
    (signals, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Posts an event and waits until the server has handled it; returns immediately when the mailbox
  /// is closed.
  func post(_ event: ServerEvent) async -> Reply {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isClosed { state.entries.append(Entry(event: event, reply: continuation)) }
        return !state.isClosed
      }
      if isOpen { wake.yield() } else { continuation.resume(returning: Reply()) }
    }
  }

  /// Posts an event without waiting.
  func send(_ event: ServerEvent) {
    state.withLock { state in
      if !state.isClosed { state.entries.append(Entry(event: event, reply: nil)) }
    }
    wake.yield()
  }

  /// Removes and returns all entries.
  func take() -> [Entry] {
    state.withLock { state in
      defer { state.entries = [] }
      return state.entries
    }
  }

  /// Closes the mailbox to further events and resumes all waiting tasks with the default reply.
  func close() {
    let left = state.withLock { state in
      defer { state.entries = [] }
      state.isClosed = true
      return state.entries
    }
    wake.finish()
    for entry in left { entry.reply?.resume(returning: Reply()) }
  }
}

import Synchronization

/// The events that wait for the server's next turn, in the order in which they came.
///
/// A mutex and not an actor: whoever posts must not overtake somebody who posted before.
final class Mailbox: Sendable {
  /// What the one who posted an event does next.
  struct Reply: Sendable {
    var restartsParser = false
    var isAuthenticated = false
    /// The session that waits to be taken up again since its connection closed, and how often it
    /// has waited before.
    var waiting: (session: ConnectionID, closures: Int)?
    /// Why a newcomer has no account; `nil`: there it is. A server that ends answers nobody.
    var refusal: StanzaRefusal? = .serviceUnavailable
  }

  struct Entry: Sendable {
    let event: ServerEvent
    /// `nil` where nobody waits.
    let reply: CheckedContinuation<Reply, Never>?
  }

  private struct State {
    var entries: [Entry] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let wake: AsyncStream<Void>.Continuation
  /// One element whenever there are entries.
  let signals: AsyncStream<Void>

  init() {
    (signals, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Waits until the server has followed `event`; returns at once when the mailbox is closed.
  func post(_ event: ServerEvent) async -> Reply {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isClosed { state.entries.append(Entry(event: event, reply: continuation)) }
        return !state.isClosed
      }
      if isOpen { wake.yield() } else { continuation.resume(returning: Reply()) }
    }
  }

  /// Posts an event that nobody waits for.
  func send(_ event: ServerEvent) {
    state.withLock { state in
      if !state.isClosed { state.entries.append(Entry(event: event, reply: nil)) }
    }
    wake.yield()
  }

  /// All that waits.
  func take() -> [Entry] {
    state.withLock { state in
      defer { state.entries = [] }
      return state.entries
    }
  }

  /// Takes nothing any more; who waits is let go.
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

import Synchronization

/// What a connection brought and nobody took yet; whoever takes it gets what there is, up to a limit.
///
/// What is done with it costs about the same for one stanza as for a hundred: a transaction that is on the disk, a look at
/// the lists. When one thing follows another, the next are gathered for a moment, which nobody sees.
final class StanzaQueue: Sendable {
  private struct State {
    var stanzas: [Stanza] = []
    /// What they take of the memory, in bytes.
    var weight = 0
    var lastTaken: ContinuousClock.Instant?
    var isHurried = false
    var isFinished = false
  }

  private let state = Mutex(State())
  private let (signals, signal) = AsyncStream<Void>.makeStream(
    bufferingPolicy: .bufferingNewest(1))
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sleep: @Sendable (Duration) async throws -> Void

  /// The least time between two takings, as long as fewer than `plenty` are there.
  static let pause = Duration.milliseconds(20)
  static let plenty = 250
  /// The most that is taken at a time: until it is dealt with, the server is told of none of it (XEP-0198 `h`), and gives a
  /// session up that owes too much.
  static let most = 400
  /// The most bytes that are taken at a time, unless one stanza alone has more: what is made of them is in memory as well.
  static let mostBytes = 2 << 20

  init(
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.now = now
    self.sleep = sleep
  }

  func append(_ stanzas: [Stanza]) {
    guard !stanzas.isEmpty else { return }
    let weight = stanzas.reduce(0) { $0 + $1.element.weight }
    state.withLock {
      $0.stanzas += stanzas
      $0.weight += weight
    }
    signal.yield()
  }

  /// The bytes that what is here takes of the memory.
  var weight: Int { state.withLock { $0.weight } }

  /// Nothing more comes; what is there can still be taken.
  func finish() {
    state.withLock { $0.isFinished = true }
    signal.finish()
  }

  /// Whether somebody waits until what is here is dealt with.
  func hurry(_ isHurried: Bool) { state.withLock { $0.isHurried = isHurried } }

  /// What is there, once there is something; `nil` at the end, and when the task is cancelled. For one task at a time.
  func next() async -> [Stanza]? {
    var iterator = signals.makeAsyncIterator()
    while !Task.isCancelled {
      if let rest {
        do { try await sleep(rest) } catch { return nil }
        guard !Task.isCancelled else { return nil }
      }
      if let stanzas = take() { return stanzas }
      // Its end: what came last is still there.
      guard await iterator.next() != nil else { return Task.isCancelled ? nil : take() }
    }
    return nil
  }

  /// How long to wait before what is there is taken; `nil`: it is taken at once.
  private var rest: Duration? {
    let now = now()
    return state.withLock { state in
      guard !state.stanzas.isEmpty, state.stanzas.count < Self.plenty, !state.isHurried,
        !state.isFinished, let lastTaken = state.lastTaken
      else { return nil }
      let rest = Self.pause - (now - lastTaken)
      return rest > .zero ? rest : nil
    }
  }

  private func take() -> [Stanza]? {
    let now = now()
    return state.withLock { state in
      guard !state.stanzas.isEmpty else { return nil }
      state.lastTaken = now
      var (count, bytes) = (0, 0)
      for stanza in state.stanzas.prefix(Self.most) {
        let weight = stanza.element.weight
        if count > 0, bytes + weight > Self.mostBytes { break }
        count += 1
        bytes += weight
      }
      defer {
        state.stanzas.removeFirst(count)
        state.weight -= bytes
      }
      return Array(state.stanzas.prefix(count))
    }
  }
}

import Dispatch
import Glibc
import Synchronization

/// A stream of the signals that ask a process to stop, until `release` restores their default
/// effect.
///
/// A signal that arrives in the first milliseconds, before the system reports them, has its default
/// effect as well.
package final class StopSignals: Sendable {
  private let watched: [Int32]
  // Dispatch's sources are safe to use from any thread, but not declared so.
  nonisolated(unsafe) private let sources: [any DispatchSourceSignal]
  /// The number of each received signal.
  package let numbers: AsyncStream<Int32>
  private let readiness: AsyncStream<Never>
  private let watch: Watch

  /// The progress of the registration.
  private final class Watch: Sendable {
    struct State {
      /// The number of signals that the system does not report yet.
      var waiting: Int
      var isReleased = false
    }
    let state: Mutex<State>
    init(of count: Int) { state = Mutex(State(waiting: count)) }
  }

  /// The owner of a signal, and its handler: Dispatch sets that once per process, even if it is
  /// changed in between.
  private struct Charge {
    var watch: ObjectIdentifier
    var handler: sigaction?
  }
  private static let charges = Mutex<[Int32: Charge]>([:])

  /// - Parameters:
  ///   - watched: the signals to report.
  ///   - ignored: signals without an effect from now on.
  package init(_ watched: [Int32] = [SIGINT, SIGTERM], ignoring ignored: [Int32] = []) {
    self.watched = watched
    let (numbers, report) = AsyncStream<Int32>.makeStream()
    let (readiness, ready) = AsyncStream<Never>.makeStream()
    let watch = Watch(of: watched.count)
    (self.numbers, self.readiness, self.watch) = (numbers, readiness, watch)
    for number in ignored { signal(number, SIG_IGN) }
    sources = watched.map { number in
      // Not ignored until there is a handler: an ignored signal is lost.
      Self.take(number, for: watch)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { report.yield(number) }
      source.setRegistrationHandler {
        let isLast = watch.state.withLock { state in
          state.waiting -= 1
          return state.waiting == 0
        }
        if isLast { ready.finish() }
      }
      // A source that is cancelled before its registration sets the handler all the same.
      source.setCancelHandler {
        if watch.state.withLock(\.isReleased) { Self.giveBack(number, of: watch) }
      }
      source.resume()
      return source
    }
  }

  /// Returns when the system reports all of them.
  package func ready() async { for await _ in readiness {} }

  /// Restores the default effect: the next signal ends the program at once.
  package func release() {
    watch.state.withLock { $0.isReleased = true }
    for source in sources { source.cancel() }
    for number in watched { Self.giveBack(number, of: watch) }
  }

  deinit { for source in sources { source.cancel() } }

  private static func take(_ number: Int32, for watch: Watch) {
    charges.withLock { charges in
      let handler = charges[number]?.handler
      charges[number] = Charge(watch: ObjectIdentifier(watch), handler: handler)
      if var handler { sigaction(number, &handler, nil) }
    }
  }

  /// Restores the default effect of a signal, unless another instance owns it by now.
  private static func giveBack(_ number: Int32, of watch: Watch) {
    charges.withLock { charges in
      guard charges[number]?.watch == ObjectIdentifier(watch) else { return }
      var before = sigaction()
      var usual = sigaction()
      usual.__sigaction_handler.sa_handler = SIG_DFL
      sigaction(number, &usual, &before)
      let handler = unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self)
      let isOwn = handler != 0 && handler != unsafeBitCast(SIG_IGN, to: Int.self)
      if isOwn { charges[number]?.handler = before }
    }
  }
}

import Dispatch
import Glibc
import Synchronization

/// The signals that ask a process to stop as a stream, until `release` gives them back their usual effect.
///
/// One that comes before the system tells of them, in the first milliseconds, has its usual effect as well.
package final class StopSignals: Sendable {
  private let watched: [Int32]
  // Dispatch's sources may be used from everywhere; it does not say so.
  nonisolated(unsafe) private let sources: [any DispatchSourceSignal]
  /// The number of each signal that came.
  package let numbers: AsyncStream<Int32>
  private let readiness: AsyncStream<Never>
  private let watch: Watch

  /// How far one of these is.
  private final class Watch: Sendable {
    struct State {
      /// How many signals the system does not tell of yet.
      var waiting: Int
      var isReleased = false
    }
    let state: Mutex<State>
    init(of count: Int) { state = Mutex(State(waiting: count)) }
  }

  /// Who has a signal, and what handles it: Dispatch sets that once in a process, whatever is set in between.
  private struct Charge {
    var watch: ObjectIdentifier
    var handler: sigaction?
  }
  private static let charges = Mutex<[Int32: Charge]>([:])

  /// - Parameters:
  ///   - watched: those that ask it to stop.
  ///   - ignored: signals that do nothing from now on.
  package init(_ watched: [Int32] = [SIGINT, SIGTERM], ignoring ignored: [Int32] = []) {
    self.watched = watched
    let (numbers, report) = AsyncStream<Int32>.makeStream()
    let (readiness, ready) = AsyncStream<Never>.makeStream()
    let watch = Watch(of: watched.count)
    (self.numbers, self.readiness, self.watch) = (numbers, readiness, watch)
    for number in ignored { signal(number, SIG_IGN) }
    sources = watched.map { number in
      // Not ignored until there is a handler: what is ignored is lost.
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
      // One that is cancelled before it began sets the handler all the same.
      source.setCancelHandler {
        if watch.state.withLock(\.isReleased) { Self.giveBack(number, of: watch) }
      }
      source.resume()
      return source
    }
  }

  /// Returns when the system tells of all of them.
  package func ready() async { for await _ in readiness {} }

  /// Lets the next signal end the program at once.
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

  /// Gives a signal its usual effect, unless another one of these has it by now.
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

import Dispatch
import Glibc

/// The signals that ask a process to stop as a stream, until `release` gives them back their usual effect.
package final class StopSignals: Sendable {
  private let watched: [Int32]
  // Dispatch's sources may be used from everywhere; it does not say so.
  nonisolated(unsafe) private let sources: [any DispatchSourceSignal]
  /// The number of each signal that came.
  package let numbers: AsyncStream<Int32>

  /// - Parameters:
  ///   - watched: those that ask it to stop.
  ///   - ignored: signals that do nothing from now on.
  package init(_ watched: [Int32] = [SIGINT, SIGTERM], ignoring ignored: [Int32] = []) {
    self.watched = watched
    let (numbers, report) = AsyncStream<Int32>.makeStream()
    self.numbers = numbers
    for number in ignored { signal(number, SIG_IGN) }
    sources = watched.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { report.yield(number) }
      source.resume()
      return source
    }
  }

  /// Lets the next signal end the program at once.
  package func release() {
    for source in sources { source.cancel() }
    for number in watched { signal(number, SIG_DFL) }
  }

  deinit { for source in sources { source.cancel() } }
}

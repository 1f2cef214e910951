import Dispatch
import Glibc

/// The signals that ask a process to stop, SIGINT and SIGTERM, as a stream, until `release` gives them back their usual effect.
package final class StopSignals: Sendable {
  private static let watched = [SIGINT, SIGTERM]
  // Dispatch's sources may be used from everywhere; it does not say so.
  nonisolated(unsafe) private let sources: [any DispatchSourceSignal]
  /// The number of each signal that came.
  package let numbers: AsyncStream<Int32>

  /// - Parameter ignored: signals that do nothing from now on.
  package init(ignoring ignored: [Int32] = []) {
    let (numbers, report) = AsyncStream<Int32>.makeStream()
    self.numbers = numbers
    for number in ignored { signal(number, SIG_IGN) }
    sources = Self.watched.map { number in
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
    for number in Self.watched { signal(number, SIG_DFL) }
  }

  deinit { for source in sources { source.cancel() } }
}

import Dispatch
import Glibc

/// The signals that ask the program to stop, as a stream, until `release` gives them back their usual effect.
final class StopSignals: Sendable {
  private let watched: [Int32]
  private let sources: [any DispatchSourceSignal]
  /// The number of each signal that came.
  let numbers: AsyncStream<Int32>

  init(_ watched: [Int32] = [SIGINT, SIGTERM]) {
    self.watched = watched
    let (numbers, report) = AsyncStream<Int32>.makeStream()
    self.numbers = numbers
    sources = watched.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { @Sendable in report.yield(number) }
      source.resume()
      return source
    }
  }

  /// Lets the next signal end the program at once.
  func release() {
    for source in sources { source.cancel() }
    for number in watched { signal(number, SIG_DFL) }
  }
}

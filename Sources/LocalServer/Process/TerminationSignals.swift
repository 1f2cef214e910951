import Dispatch
import Glibc

/// The signals that ask a process to end, as a stream.
///
/// A hang-up is not one of them: the terminal that the server was started from goes away before its
/// other clients do.
final class TerminationSignals {
  private let sources: [any DispatchSourceSignal]
  /// One element for each signal.
  let signals: AsyncStream<Void>

  init() {
    let (signals, report) = AsyncStream<Void>.makeStream()
    self.signals = signals
    for ignored in [SIGHUP, SIGPIPE, SIGTERM, SIGINT] { signal(ignored, SIG_IGN) }
    sources = [SIGTERM, SIGINT].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { report.yield() }
      source.resume()
      return source
    }
  }

  deinit { for source in sources { source.cancel() } }
}

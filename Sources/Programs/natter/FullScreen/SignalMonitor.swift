import Dispatch
import Glibc
import System

/// Reports the signals that the full screen handles, including those that are blocked when it is
/// created: a signal stays blocked until its source is registered.
final class SignalMonitor {
  private var sources: [any DispatchSourceSignal] = []

  /// - Parameters:
  ///   - endWatch: handles the ending ones as well, but none that this does not handle.
  ///   - action: receives the number of each signal.
  init(endWatch: StalledOutputGuard, _ action: @escaping (Int32) -> Void) {
    for number in SignalHold.numbers {
      // None of them is ignored meanwhile: an ignored signal is lost.
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { MainActor.assumeIsolated { action(number) } }
      source.setRegistrationHandler {
        MainActor.assumeIsolated {
          if SignalHold.takes(number) { action(number) }
          endWatch.hear(number)
        }
      }
      source.resume()
      sources.append(source)
    }
  }

  /// Stops reporting.
  func end() {
    for source in sources { source.cancel() }
    // In case the sources are not registered yet: the signals must not stay blocked.
    SignalHold.end()
  }
}

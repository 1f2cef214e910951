import Dispatch
import Glibc

/// Tells of the signals that the full screen watches for, from those on that are held when it is made: until the system tells of
/// one it stays held.
final class SignalMonitor {
  private var sources: [any DispatchSourceSignal] = []

  /// - Parameters:
  ///   - endWatch: hears the ending ones as well, but none that this does not hear.
  ///   - action: gets the number of each that came.
  init(endWatch: StalledOutputGuard, _ action: @escaping (Int32) -> Void) {
    for number in SignalHold.numbers {
      // None of them is ignored meanwhile: what is ignored is lost.
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

  /// Tells of none any more.
  func end() {
    for source in sources { source.cancel() }
    // Before it has begun: the program must not be left deaf.
    SignalHold.end()
  }
}

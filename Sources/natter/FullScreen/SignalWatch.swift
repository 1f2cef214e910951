import Dispatch
import Glibc

/// Tells of the signals that the full screen watches for, from those on that are held when it is made: until the system tells of
/// all of them they stay held.
final class SignalWatch {
  private var sources: [any DispatchSourceSignal] = []
  /// How many of them the system does not tell of yet.
  private var waiting = SignalHold.numbers.count

  /// - Parameter action: gets the number of each that came.
  init(_ action: @escaping (Int32) -> Void) {
    for number in SignalHold.numbers {
      // None of them is ignored meanwhile: what is ignored is lost, also where it was held.
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { MainActor.assumeIsolated { action(number) } }
      source.setRegistrationHandler { [weak self] in
        MainActor.assumeIsolated { self?.isRegistered() }
      }
      source.resume()
      sources.append(source)
    }
  }

  private func isRegistered() {
    waiting -= 1
    if waiting == 0 { SignalHold.end() }
  }

  /// Tells of none any more.
  func end() {
    for source in sources { source.cancel() }
    // Before it has begun: the program must not be left deaf.
    if waiting > 0 { SignalHold.end() }
    waiting = 0
  }
}

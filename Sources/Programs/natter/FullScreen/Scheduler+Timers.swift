import Dispatch
import ViewModels

extension Scheduler {
  /// Waits with timers of the main queue; nothing runs in between.
  static let timers = Scheduler { delay, action in
    let timer = DispatchSource.makeTimerSource(queue: .main)
    let components = delay.components
    let nanoseconds = components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    timer.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
    timer.setEventHandler {
      timer.cancel()
      MainActor.assumeIsolated { action() }
    }
    timer.resume()
    return { timer.cancel() }
  }
}

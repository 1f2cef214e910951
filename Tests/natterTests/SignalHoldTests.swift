import Glibc
import System
import Testing

@testable import natter

/// Signals that arrive before the full screen handles them.
@Suite struct SignalHoldTests {
  @MainActor @Test(.timeLimit(.minutes(6)))
  func `held signals, and those before the system reports them, are reported all the same`()
    async throws
  {
    SignalHold.begin()
    kill(getpid(), SIGHUP)
    let (reported, report) = AsyncStream<Int32>.makeStream()
    let watch = SignalMonitor(endWatch: StalledOutputGuard(descriptor: STDOUT_FILENO)) {
      report.yield($0)
    }
    kill(getpid(), SIGWINCH)
    var missing: Set = [SIGHUP, SIGWINCH]
    for await number in reported {
      missing.remove(number)
      if missing.isEmpty { break }
    }
    watch.end()
    for number in SignalHold.numbers { signal(number, SIG_DFL) }
  }
}

import Glibc
import System
import Testing

/// The signals that ask a program to stop. Each test has a signal of its own.
@Suite struct StopSignalsTests {
  @Test func `a signal that comes before it can be reported is not lost: it ends the program`() {
    let signals = StopSignals([SIGUSR1])
    var now = sigaction()
    sigaction(SIGUSR1, nil, &now)
    let handler = unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self)
    #expect(handler != unsafeBitCast(SIG_IGN, to: Int.self))
    signals.release()
  }

  @Test(.timeLimit(.minutes(6)))
  func `a watcher of a signal that another one had and gave back is notified of it, too`() async {
    for _ in 0..<3 {
      let signals = StopSignals([SIGUSR2])
      await signals.ready()
      kill(getpid(), SIGUSR2)
      #expect(await signals.numbers.first { _ in true } == SIGUSR2)
      signals.release()
    }
  }
}

import Glibc
import Testing

@testable import natter

/// What comes before the full screen watches for it.
@Suite struct SignalHoldTests {
  @Test func `a signal that is held is told once, and is not delivered`() {
    SignalHold.begin()
    // To this thread alone; the default of it is to be ignored.
    raise(SIGWINCH)
    raise(SIGWINCH)
    #expect(SignalHold.taken == [SIGWINCH])
    #expect(SignalHold.taken.isEmpty)
    SignalHold.end()
  }
}

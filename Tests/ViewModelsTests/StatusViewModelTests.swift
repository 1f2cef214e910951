import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing

@testable import ViewModels

/// The line above the input while there is no connection.
@Suite struct StatusViewModelTests {
  private let timers = ManualTimers()
  private let clock = ManualNow(.afternoon)
  private let refusal = StatusNotice(.error, "error.room.notInside")

  private func status() -> StatusViewModel {
    StatusViewModel(
      format: testFormat(), scheduler: timers.scheduler, now: { [clock] in clock.date })
  }

  private func waiting() -> DomainEvent {
    .connectionChanged(
      .waiting(
        until: clock.date.addingTimeInterval(9),
        reason: ConnectionProblem(.refused)))
  }

  private func reported(_ status: StatusViewModel) -> String { status.message.text }

  @Test func `that the connection is gone replaces what was said before`() {
    let status = status()
    status.show(refusal, about: "/nick robert")
    status.handle(waiting())
    #expect(reported(status).contains("Not connected"), "\(reported(status))")
  }

  @Test func `a script that asks is shown with a notice and an announcement, not instead`() {
    let status = status()
    status.show(StatusNotice(.error, "scripts.error.off"))
    status.show(asking: "greeter")
    #expect(reported(status) == "No scripts run here. (greeter asks - /script)")
    #expect(status.message.level == .error)
    status.clear()
    #expect(reported(status) == "greeter asks - /script")
    status.announce([(name: "bob", text: "are you there?")])
    #expect(reported(status) == "bob: are you there? (greeter asks - /script)")
    status.show(asking: "")
    #expect(reported(status) == "bob: are you there?")
  }

  @Test func `an announcement that a notice covered comes back when the notice goes`() {
    let status = status()
    status.announce([(name: "bob", text: "are you there?")])
    status.appeared()
    let notice = StatusNotice(.info, "status.copied")
    status.show(notice)
    #expect(!reported(status).contains("are you there?"))
    status.clear(notice)
    #expect(reported(status) == "bob: are you there?")
    status.clear()
    #expect(reported(status).isEmpty)
  }

  @Test func `an announcement that was heard does not come back when the view changes`() {
    let status = status()
    status.announce([(name: "bob", text: "are you there?")])
    status.appeared()
    status.show(StatusNotice(.info, "status.copied"))
    status.clearInfo()
    #expect(reported(status).isEmpty)
  }

  @Test
  func `a server that says nothing: why there is no connection stays while it is tried again`() {
    let status = status()
    let tabBar = TabBarViewModel(format: testFormat())
    func handle(_ state: ConnectionState) {
      status.handle(.connectionChanged(state))
      tabBar.handle(.connectionChanged(state))
    }
    let silent = ConnectionProblem(.timedOut, host: "127.0.0.1", port: 5222)
    let attempt = ConnectionState.connecting(host: "127.0.0.1")
    // Nothing is wrong yet.
    handle(attempt)
    #expect(reported(status) == "Connecting to 127.0.0.1 ..." && status.message.level == .info)
    #expect(tabBar.connection == "connecting")
    handle(.waiting(until: clock.date.addingTimeInterval(9), reason: silent))
    tabBar.invalidation.lower()
    handle(attempt)
    #expect(reported(status) == "Not connected (no answer). Trying 127.0.0.1 now.")
    #expect(status.message.level == .warning)
    #expect(tabBar.glyph == "!" && tabBar.connection == "not connected")
    #expect(tabBar.availability == .busy && !tabBar.invalidation.isRaised)
    handle(.refused(ConnectionProblem(.notXMPP, host: "127.0.0.1")))
    handle(attempt)
    #expect(reported(status) == "Not connected (not a chat server). Trying 127.0.0.1 now.")
    // A user who goes offline on purpose knows why there is no connection.
    handle(.offline)
    handle(attempt)
    #expect(reported(status) == "Connecting to 127.0.0.1 ..." && tabBar.connection == "connecting")
    handle(.online)
    handle(attempt)
    #expect(reported(status) == "Connecting to 127.0.0.1 ..." && tabBar.connection == "connecting")
  }

  @Test func `why something is refused in an outage can be read while it is tried again`() {
    let status = status()
    let reason = testFormat().text(refusal)
    status.handle(waiting())
    status.handle(.connectionChanged(.connecting(host: "example.org")))
    status.show(refusal, about: "/nick robert")
    clock.date += 0.7
    status.handle(waiting())
    #expect(reported(status) == reason)
    clock.date += 5
    status.handle(waiting())
    #expect(reported(status) == reason)
    // The next key.
    status.typed("/nick rober")
    #expect(reported(status).contains("Not connected"), "\(reported(status))")
  }

  @Test func `after some seconds the connection is shown again, whether or not a key is pressed`() {
    let status = status()
    status.handle(waiting())
    status.show(refusal)
    clock.date += 1
    status.handle(waiting())
    #expect(timers.delays.contains(.seconds(9)))
    timers.fire()
    #expect(reported(status).contains("Not connected"), "\(reported(status))")
    status.show(refusal)
    clock.date += 11
    status.handle(waiting())
    #expect(reported(status).contains("Not connected"), "\(reported(status))")
  }

  @Test func `what is only good to know gives way at once, and everything does to a refused login`()
  {
    let status = status()
    status.handle(waiting())
    status.show(StatusNotice(.info, "status.noUnread"))
    status.handle(waiting())
    #expect(reported(status).contains("Not connected"), "\(reported(status))")
    status.show(refusal)
    status.handle(.connectionChanged(.refused(ConnectionProblem(.refused))))
    #expect(reported(status) != testFormat().text(refusal))
  }
}

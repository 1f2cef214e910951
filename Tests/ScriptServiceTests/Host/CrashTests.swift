import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// Real programs that go wrong: the host says why, and nothing else waits for them.
@Suite struct CrashTests {
  private static let hello =
    #"printf '{"jsonrpc":"2.0","id":1,"method":"hello","params":{"api":1}}\n'; read answer; "#

  private func fixture(_ shell: String) throws -> (HostFixture, PipedStarter) {
    let starter = PipedStarter()
    return (try HostFixture(run: ["/bin/sh", "-c", shell], starter: starter), starter)
  }

  /// Starts a script that goes wrong after its hello, and lets it be started again until the last
  /// time.
  private func lastFailure(of shell: String) async throws -> StatusNotice {
    let (fixture, starter) = try fixture(Self.hello + shell)
    // It may be over before its hello was seen as one.
    _ = try? await fixture.host.start()
    for (number, pause) in [1, 5, 30].enumerated() {
      #expect(await fixture.sleeps(.seconds(pause), alone: true))
      fixture.clock.advance(by: .seconds(pause))
      #expect(await starter.waits(for: number + 2))
    }
    return try await fixture.failure()
  }

  @Test func `a script that says hello runs, and ends with its input`() async throws {
    let (fixture, starter) = try fixture(
      Self.hello + #"while read line; do case $line in *bye*) echo ended >&2; exit 0; esac; done"#)
    try await fixture.host.start()
    #expect(await fixture.host.state == .running)
    await fixture.host.stop()
    #expect(await fixture.host.logLines() == ["ended"])
    #expect(starter.all.count == 1)
    #expect(fixture.states == [.running, .sleeping])
  }

  @Test func `exit 1`() async throws {
    let notice = try await lastFailure(of: "echo 'no city' >&2; exit 1")
    #expect(notice.key == "error.script.exitedWith")
    #expect(notice.arguments == ["script": "Bot", "status": "1", "line": "no city"])
  }

  @Test func `a broken access to memory`() async throws {
    let notice = try await lastFailure(of: "kill -SEGV $$; sleep 60")
    #expect(notice.key == "error.script.killed")
    #expect(notice.arguments == ["script": "Bot", "signal": "11"])
  }

  @Test func `a script that hangs is ended by force`() async throws {
    let (fixture, starter) = try fixture(
      "trap '' TERM; " + Self.hello + "while true; do sleep 1000 <&- >&- 2>&-; done")
    try await fixture.host.start()
    async let stopped: Void = fixture.host.stop()
    #expect(await fixture.sleeps(.seconds(2)))
    fixture.clock.advance(by: .seconds(2))
    #expect(await fixture.sleeps(.seconds(1)))
    fixture.clock.advance(by: .seconds(1))
    await stopped
    #expect(await starter.all.first?.exit() == .signal(9))
    #expect(await fixture.host.state == .sleeping)
  }

  @Test func `a million lines`() async throws {
    let (fixture, _) = try fixture(Self.hello + "yes nonsense | head -n 1000000; sleep 1000")
    _ = try? await fixture.host.start()
    #expect(try await fixture.failure().key == "error.script.lines")
  }

  @Test func `a million requests`() async throws {
    let (fixture, _) = try fixture(
      Self.hello
        + #"yes '{"jsonrpc":"2.0","id":1,"method":"version"}' | head -n 1000000; sleep 1000"#)
    _ = try? await fixture.host.start()
    #expect(try await fixture.failure().key == "error.script.flood")
  }

  @Test func `a line of two megabytes is refused, and the next one works`() async throws {
    let ask = #"printf '\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n'; "#
    let (fixture, _) = try fixture(
      Self.hello + "head -c 2097152 /dev/zero | tr '\\0' x; " + ask
        + "read refusal; read answer; echo $refusal >&2; echo $answer >&2; read bye")
    try await fixture.host.start()
    try await until("two lines") { await fixture.host.logLines().count == 2 }
    let lines = await fixture.host.logLines()
    #expect(lines.first?.contains("-32700") == true)
    #expect(lines.last == #"{"jsonrpc":"2.0","id":2,"result":{}}"#)
    await fixture.host.stop()
  }

  @Test func `twenty thousand lines of errors are no memory`() async throws {
    let (fixture, _) = try fixture(
      Self.hello + "yes complaint | head -n 20000 >&2; echo last >&2; read bye")
    try await fixture.host.start()
    try await until("last") { await fixture.host.logLines().last == "last" }
    #expect(await fixture.host.logLines().count == 200)
    await fixture.host.stop()
  }
}

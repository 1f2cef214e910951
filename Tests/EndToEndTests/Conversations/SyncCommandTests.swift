import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Data sync in the hands of the person (FLOWS.md 3, "can be cancelled").
  @Suite struct SyncCommandTests {
    @Test(arguments: ServerKind.allCases)
    func `refreshing that does not come on is stopped, and begun again`(kind: ServerKind)
      async throws
    {
      let server = try SharedServers.server(kind)
      let alice = try await TestAccount("alice", on: kind)
      let relay = try FaultRelay(to: server.port)
      let home = try Home()
      try home.folder.write(alice.password + "\n", to: "password")
      var arguments =
        NatterRun.options(alice.jid, on: server, security: .starttls)
        + ["--password-file", home.folder.path("password")]
      if let index = arguments.firstIndex(of: "--server") { arguments[index + 1] = relay.address }
      let natter = try NatterRun(arguments, home: home)
      try await natter.waitsOnline()
      // What a room is is asked at each refreshing.
      try await natter.say("/join lair\(UInt32.random(in: 0...999_999))@rooms.\(server.domain)")
      try await natter.shows("1 person")
      // Nothing comes for a while: what is asked now is not answered.
      relay.inflict(.stall(milliseconds: 25_000))
      try await natter.say("/sync")
      try await natter.say("/sync stop")
      try await natter.shows("Refreshing was stopped")
      // It is there as before, and what is said waits for the network alone.
      try await natter.say("after the stop")
      try await natter.shows("after the stop", tick: "✓")
      try await natter.say("/sync")
      try await natter.say("still here")
      try await natter.shows("still here", tick: "✓")
      #expect(await natter.quit() == .exited(0))
    }
  }
}

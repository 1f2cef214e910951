import Diagnostics
import Foundation
import NatterCore
import Sockets
import TestSupport
import Testing
import XMPP

@testable import ConnectionService

/// Connections that go to another host than the domain's own.
extension LongConnectionTests {
  private func sent(to location: String) -> StreamFailure {
    .stream(StreamError(.seeOtherHost, otherHost: location))
  }

  @Test func `see-other-host honoured: the next attempt goes there, without a wait`() async {
    let first = lasting()
    let connector = ScriptedConnector([.success(first), .success(lasting())])
    let supervisor = supervisor(connector, sleep: Pause.endless)
    var times = 0
    await run(supervisor) { state in
      if case .waiting = state { Issue.record("it waits") }
      guard state == .online else { return false }
      times += 1
      if times == 1 { await first.end(sent(to: "other.example.org:5299")) }
      return times == 2
    }
    #expect(await connector.locations == [nil, "other.example.org:5299"])
  }

  @Test func `see-other-host: where the other host is down it goes on with the domain's own`() async
  {
    let first = lasting()
    let connector = ScriptedConnector([.success(first), .failure(down), .success(lasting())])
    let supervisor = supervisor(connector, sleep: Pause.endless)
    var times = 0
    await run(supervisor) { state in
      guard state == .online else { return false }
      times += 1
      if times == 1 { await first.end(sent(to: "[2001:db8::7]")) }
      return times == 2
    }
    #expect(await connector.locations == [nil, "2001:db8::7:0", nil])
  }

  @Test func `see-other-host: who is sent round and round waits`() async {
    let streams = (0..<5).map { _ in lasting() }
    let connector = ScriptedConnector(streams.map { .success($0) })
    let supervisor = supervisor(connector, sleep: Pause.endless)
    var times = 0
    await run(supervisor) { state in
      if case .waiting = state { return true }
      if state == .online {
        await streams[times].end(sent(to: "round.example.org"))
        times += 1
      }
      return false
    }
    #expect(times == 4)
  }

  @Test(arguments: [true, false])
  func `XEP-0198 location: the session is resumed there, or elsewhere when that is down`(isUp: Bool)
    async
  {
    let first = FakeStream(
      batches: [], endsByItself: false, canResume: true, location: "[2001:db8::9]:9876")
    let second = FakeStream(batches: [], endsByItself: false, isResumed: true)
    let connector = ScriptedConnector(
      [.success(first)] + (isUp ? [] : [.failure(down)]) + [.success(second)])
    let supervisor = supervisor(connector)
    var times = 0
    await run(supervisor) { state in
      guard state == .online else { return false }
      times += 1
      if times == 2 { return true }
      await supervisor.waitUntilSetUp()
      await first.drop()
      return false
    }
    #expect(await connector.locations == [nil, "2001:db8::9:9876"] + (isUp ? [] : [nil]))
    #expect(await connector.resumed.last == "old")
  }
}

import Diagnostics
import Foundation
import NatterCore
import Sockets
import TestSupport
import Testing
import XMPP

@testable import ConnectionService

/// One session after another.
extension LongConnectionTests {
  // MARK: Another connection replaces this one

  @Test func `a session that another connection has taken is reported, and not fought over`() async
  {
    // The older connection gets this error when the session is resumed over another one.
    let stream = FakeStream(batches: [], endsByItself: false, canResume: true)
    let connector = ScriptedConnector([.success(stream), .success(lasting())])
    let supervisor = supervisor(connector, sleep: Pause.endless)
    await run(supervisor) { state in
      if state == .online {
        await stream.end(.stream(StreamError(.conflict, text: "Replaced by new connection")))
      }
      if case .refused(let problem) = state {
        #expect(problem.kind == .conflict)
        return true
      }
      return false
    }
    #expect(await connector.attempts == 1)
  }

  @Test func `what the server says of the connection that was given up is nothing to the next one`()
    async
  {
    // <conflict/> on the old connection, which the server took for open until the session went on
    // elsewhere.
    let first = FakeStream(batches: [], endsByItself: false, canResume: true)
    let second = FakeStream(batches: [], endsByItself: false, isResumed: true)
    let connector = ScriptedConnector([.success(first), .success(second)])
    let supervisor = supervisor(connector)
    var times = 0
    await run(supervisor) { state in
      guard state == .online else { return false }
      times += 1
      if times == 1 {
        await supervisor.waitUntilSetUp()
        await first.drop()
        return false
      }
      await first.end(.stream(StreamError(.conflict, text: "Replaced by new connection")))
      await wait { await consumer.log.count == 2 }
      for _ in 0..<100 { await Task.yield() }
      #expect(await supervisor.state() == .online)
      return true
    }
    #expect(await consumer.log.prefix(2) == ["started", "resumed"])
    #expect(await connector.attempts == 2)
  }

  /// Goes through `streams`, and drops those of these numbers while a consumer is at the session's
  /// beginning.
  private func cutAtBeginning(_ streams: [FakeStream], _ isCut: (Int) -> Bool) async
    -> ScriptedConnector
  {
    let connector = ScriptedConnector(streams.map { .success($0) })
    let slow = StuckConsumer()
    var times = 0
    await run(supervisor(connector, beside: [slow])) { state in
      guard state == .online else { return false }
      times += 1
      await wait { await slow.starts == times }
      if isCut(times) { await streams[times - 1].drop() }
      return times == streams.count
    }
    return connector
  }

  @Test func `a session whose beginning is cut off goes on at the server, and begins anew here`()
    async
  {
    // What the server says between the two, "you were thrown out" among it, would be lost with its
    // session.
    let first = FakeStream(batches: [], endsByItself: false, canResume: true)
    let second = FakeStream(batches: [], endsByItself: false, isResumed: true)
    await first.holdsUnacknowledged(["beginning"])
    await second.holdsUnacknowledged(["typed"])
    let connector = await cutAtBeginning([first, second]) { $0 == 1 }
    #expect(await connector.resumed == [nil, "old"])
    // They send it anew.
    #expect(await connector.underWay == [[], [.counted(id: "beginning")]])
    #expect(await consumer.log == ["started", "ended", "started", "ended"])
    #expect(await consumer.takenUp == [["typed"]])
  }

  @Test(arguments: [true, false])
  func `a session that is cut off at its beginning again and again is given up for a new one`(
    hears: Bool
  ) async {
    // Whether each time the line breaks, or the server hears nothing.
    let cuts = hears ? 4 : 3
    let streams = (0...cuts).map { number in
      FakeStream(
        batches: [], endsByItself: false, isResumed: 0 < number && number < cuts,
        canResume: number < cuts, hears: hears)
    }
    let connector = await cutAtBeginning(streams) { $0 == 1 || hears }
    #expect(
      await connector.resumed == [nil] + [String](repeating: "old", count: cuts - 1) + [nil])
  }

  @Test
  func
    `a session that was resumed and in which the server hears nothing twice is given up for a new one`()
    async
  {
    // Prosody 0.12 reads on where the connection before broke, inside of a stanza.
    let first = FakeStream(batches: [], endsByItself: false, canResume: true)
    // What a line that dies at once looks like, too.
    let deaf = (0..<2).map { _ in
      FakeStream(batches: [], endsByItself: false, isResumed: true, canResume: true, hears: false)
    }
    let last = FakeStream(batches: [], endsByItself: false, canResume: true)
    let connector = ScriptedConnector(
      [.success(first), .success(deaf[0]), .success(deaf[1]), .success(last), .success(lasting())])
    let supervisor = supervisor(connector)
    var times = 0
    await run(supervisor) { state in
      guard state == .online else { return false }
      times += 1
      if times == 1 {
        await supervisor.waitUntilSetUp()
        await first.drop()
      }
      guard times >= 4 else { return false }
      await wait { await consumer.log.count { $0 == "started" } == 2 }
      // What is said of the one that was given up does not hold for the next.
      await supervisor.waitUntilSetUp()
      if times == 4 { await last.drop() }
      return times == 5
    }
    #expect(await connector.resumed == [nil, "old", "old", nil, "old"])
    for stream in deaf { #expect(await stream.limits == [.seconds(5)]) }
    let reported = await consumer.log.filter { $0 != "resumed" }
    #expect(reported.prefix(3) == ["started", "ended", "started"])
  }

  @Test(arguments: [(0.1, 5), (5.5, 5.5), (8, 8), (100, 15), (-3600, 5)])
  func `how long a resumed session may be silent follows from what it took to set it up`(
    setUp: Double, limit: Double
  ) {
    #expect(Heartbeat().silenceLimit(setUp: setUp) == .seconds(limit))
  }

  @Test func `a new session takes the name of the one before, which ends what is left of that`()
    async
  {
    // What the old one had not acknowledged comes to the new one then.
    let first = FakeStream(batches: [], endsByItself: false, canResume: true)
    let second = FakeStream(batches: [], endsByItself: false)
    let connector = ScriptedConnector([.success(first), .success(second)])
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
    #expect(await connector.resources == [nil, Session.fixture.jid.resource])
    #expect(await consumer.log.prefix(2) == ["started", "ended"])
  }

  // MARK: Client state (XEP-0352)

  @Test func `the server learns whether the user is active, also on the next connection`()
    async
  {
    let streams = [lasting(), lasting(), lasting()]
    let supervisor = supervisor(ScriptedConnector(streams.map { .success($0) }))
    var times = 0
    await run(supervisor) { state in
      guard state == .online else { return false }
      times += 1
      switch times {
      case 1:
        await supervisor.clientActive(true)
        await supervisor.clientActive(false)
        await supervisor.clientActive(false)
        // The reports at the beginning of a session may come once more.
        #expect(Set(await streams[0].activity) == [false])
        await streams[0].close()
      case 2:
        await wait { await !streams[1].activity.isEmpty }
        await supervisor.clientActive(true)
        #expect(await streams[1].activity == [false, true])
        await streams[1].close()
      default: break
      }
      return times == 3
    }
    #expect(await streams[2].activity == [])
  }
}

import Diagnostics
import Foundation
import NatterCore
import Sockets
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import ConnectionService

/// The branches of flows.md, "Long connection", each with its text there.
@Suite(.timeLimit(.minutes(6))) struct LongConnectionTests {
  let hub = EventHub()
  let account = Account(jid: JID(local: "alice", domain: "example.org"))
  let consumer = RecordingConsumer()
  let down = ConnectionProblem(.refused, host: "example.org", port: 5222)

  func supervisor(
    _ connector: ScriptedConnector, heartbeat: Heartbeat = Heartbeat(interval: .seconds(3600)),
    backoff: Backoff = .quick, network: NetworkMonitor? = nil,
    beside others: [any SessionConsuming] = [],
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) -> ConnectionSupervisor {
    ConnectionSupervisor(
      account: account, credentials: FixedCredentials(), connector: connector,
      consumers: [consumer] + others, hub: hub, log: .none, backoff: backoff, heartbeat: heartbeat,
      network: network, now: { Date(timeIntervalSince1970: 0) }, random: { 1 }, sleep: sleep)
  }

  /// Runs `supervisor` while `body` runs, which receives each new state.
  func run(
    _ supervisor: ConnectionSupervisor, _ body: (ConnectionState) async throws -> Bool
  ) async rethrows {
    let events = hub.events()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await supervisor.run() }
      for await event in events {
        guard case .connectionChanged(let state) = event else { continue }
        if try await body(state) { break }
      }
      group.cancelAll()
    }
  }

  /// Waits for what another task does; the suite's time limit ends it.
  func wait(_ condition: () async -> Bool) async {
    while await !condition(), !Task.isCancelled { await Task.yield() }
  }

  func lasting() -> FakeStream { FakeStream(batches: [], endsByItself: false) }

  // MARK: TCP login

  @Test func `TCP login ok: yes, start heartbeat`() async {
    let stream = lasting()
    let supervisor = supervisor(
      ScriptedConnector([.success(stream)]), heartbeat: Heartbeat(interval: .milliseconds(1)))
    await run(supervisor) { state in
      guard state == .online else { return false }
      await wait { await stream.probes > 0 }
      return true
    }
  }

  @Test func `TCP login ok: no, reconnect, ok: yes, start heartbeat`() async {
    let stream = lasting()
    let connector = ScriptedConnector([.failure(down), .success(stream)])
    let supervisor = supervisor(connector, heartbeat: Heartbeat(interval: .milliseconds(1)))
    await run(supervisor) { state in
      guard state == .online else { return false }
      await wait { await stream.probes > 0 }
      return true
    }
    #expect(await connector.attempts == 2)
  }

  @Test func `reconnect ok: no, notify the user that it cannot connect and keep trying, slower`()
    async
  {
    let connector = ScriptedConnector(Array(repeating: .failure(down), count: 12))
    let supervisor = supervisor(connector, backoff: Backoff()) { _ in await Task.yield() }
    var waits: [Double] = []
    await run(supervisor) { state in
      guard case .waiting(let until, let reason) = state else { return false }
      #expect(reason == down)
      waits.append(until.timeIntervalSince1970)
      return waits.count == 9
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
  }

  @Test
  func `the user always sees the state: connecting, waiting and why, online, refused, offline`()
    async
  {
    let refusal = ConnectionProblem(.wrongPassword, host: "example.org", port: 5222)
    let stream = lasting()
    let supervisor = supervisor(
      ScriptedConnector([.failure(down), .success(stream), .failure(refusal)]))
    var states: [ConnectionState] = []
    await run(supervisor) { state in
      states.append(state)
      switch state {
      case .online: await stream.end(.ended)
      case .refused: await supervisor.goOffline()
      default: break
      }
      return state == .offline
    }
    let words = states.map { state in
      switch state {
      case .connecting(let host): "connecting to \(host)"
      case .waiting(_, let reason): "waiting, \(reason.kind)"
      case .online: "online"
      case .refused(let problem): "refused, \(problem.kind)"
      case .offline: "offline"
      }
    }
    #expect(
      words == [
        "connecting to example.org", "waiting, refused", "connecting to example.org", "online",
        "waiting, closed", "connecting to example.org", "refused, wrongPassword", "offline",
      ])
  }

  // MARK: Heartbeat

  @Test
  func
    `by default a beat a minute, 15 seconds for its answer, two more before the connection drops`()
    async
  {
    let dead = FakeStream(batches: [], endsByItself: false, answersProbes: false)
    let connector = ScriptedConnector([.success(dead), .success(lasting())])
    let pauses = Mutex<[Duration]>([])
    let supervisor = ConnectionSupervisor(
      account: account, credentials: FixedCredentials(), connector: connector,
      consumers: [consumer], hub: hub, log: .none, random: { 1 },
      sleep: { duration in
        let isFirst = pauses.withLock { pauses in
          pauses.append(duration)
          return pauses.count == 1
        }
        if !isFirst { try await Pause.endless(.zero) }
      })
    await run(supervisor) { state in
      if case .waiting = state { return true }
      return false
    }
    #expect(pauses.withLock { $0.first } == .seconds(60))
    #expect(await dead.limits == Array(repeating: .seconds(15), count: 3))
  }

  @Test func `heartbeat sent and answered: yes, next beat`() async {
    let stream = lasting()
    let connector = ScriptedConnector([.success(stream)])
    let supervisor = supervisor(connector, heartbeat: Heartbeat(interval: .milliseconds(1)))
    await run(supervisor) { state in
      guard state == .online else { return false }
      await wait { await stream.probes >= 5 }
      return true
    }
    #expect(await connector.attempts == 1)
  }

  @Test func `heartbeat sent and answered: no, send again, failures > limit: no, next beat`() async
  {
    let stream = FakeStream(
      batches: [], endsByItself: false, firstAnswers: [false, false, true, false, false, true])
    let connector = ScriptedConnector([.success(stream)])
    let supervisor = supervisor(
      connector, heartbeat: Heartbeat(interval: .milliseconds(1), resends: 2))
    await run(supervisor) { state in
      guard state == .online else { return false }
      await wait { await stream.probes >= 8 }
      return true
    }
    #expect(await connector.attempts == 1)
  }

  @Test(arguments: [NetworkChange.interfaces, .resumed(after: .seconds(3600))])
  func `a heartbeat at once after a resume from suspend or a network change`(change: NetworkChange)
    async
  {
    let stream = lasting()
    let supervisor = supervisor(ScriptedConnector([.success(stream)]), sleep: Pause.endless)
    await run(supervisor) { state in
      guard state == .online else { return false }
      await supervisor.networkChanged(change)
      await wait { await stream.probes == 1 }
      await supervisor.networkChanged(change)
      await wait { await stream.probes == 2 }
      return true
    }
  }

  private final class Lines: LogSink {
    let all = Observed<[String]>([])
    func write(_ entry: LogEntry) { all.update { $0.append(entry.message) } }
  }

  @Test
  func `a lost connection is tried again at once, then after 0.3 s and doubling, a line each`()
    async
  {
    let (sink, stream) = (Lines(), lasting())
    let connector = ScriptedConnector(
      [.success(stream)] + Array(repeating: .failure(down), count: 12))
    let clock = Observed(Date(timeIntervalSince1970: 0))
    let slept = Observed<[Duration]>([])
    let supervisor = ConnectionSupervisor(
      account: account, credentials: FixedCredentials(), connector: connector,
      consumers: [consumer], hub: hub, log: Log(to: sink, level: .info),
      heartbeat: Heartbeat(interval: .seconds(3600)), now: { clock.value }, random: { 1 },
      sleep: { duration in
        // The heartbeat never comes.
        guard duration < .seconds(100) else { return try await Pause.endless(duration) }
        slept.update { $0.append(duration) }
      })
    await run(supervisor) { state in
      if state == .online {
        clock.update { $0 += 60 }
        await stream.drop()
      }
      return slept.value.count >= 8
    }
    #expect(
      slept.value.prefix(8).map { Int(($0 / .milliseconds(1)).rounded()) }
        == [300, 600, 1200, 2400, 4800, 9600, 19_200, 38_400])
    let lines = sink.all.value.filter { $0.hasPrefix("not connected: ") }
    #expect(lines.first?.hasSuffix(", next attempt at once") == true, "\(lines)")
    #expect(lines.dropFirst().first?.hasSuffix(", next attempt in 0.3 s") == true, "\(lines)")
    // The last attempt may be under way still.
    #expect((0...1).contains(await connector.attempts - lines.count))
  }

  @Test func `a session that is closed at its start is not set up`() async {
    let (sink, leaving) = (Lines(), LeavingConsumer())
    let supervisor = ConnectionSupervisor(
      account: account, credentials: FixedCredentials(),
      connector: ScriptedConnector([.success(lasting())]), consumers: [leaving], hub: hub,
      log: Log(to: sink, level: .info))
    await leaving.leave(supervisor)
    await run(supervisor) { $0 == .offline }
    #expect(sink.all.value.contains { $0.hasPrefix("online as ") })
    #expect(!sink.all.value.contains("the session is set up"))
  }

  @Test func `a network change during an attempt: the next one at once, where it fails`() async {
    let network = Observed<ConnectionSupervisor?>(nil)
    let connector = ScriptedConnector([.failure(down), .success(lasting())]) {
      await network.value?.networkChanged(.interfaces)
    }
    let supervisor = supervisor(connector, sleep: Pause.endless)
    network.update { $0 = supervisor }
    await run(supervisor) { $0 == .online }
    #expect(await connector.attempts == 2)
  }

  @Test func `a network change while it waits: the next attempt at once`() async {
    let connector = ScriptedConnector([.failure(down), .success(lasting())])
    let supervisor = supervisor(connector, sleep: Pause.endless)
    await run(supervisor) { state in
      if case .waiting = state { await supervisor.networkChanged(.interfaces) }
      return state == .online
    }
    #expect(await connector.attempts == 2)
  }

  @Test func `a network change does not try again what a person has to settle`() async {
    let refusal = ConnectionProblem(.wrongPassword, host: "example.org", port: 5222)
    let connector = ScriptedConnector([.failure(refusal), .success(lasting())])
    let supervisor = supervisor(connector)
    await run(supervisor) { state in
      guard state == .refused(refusal) else { return false }
      for _ in 0..<5 { await supervisor.networkChanged(.interfaces) }
      for _ in 0..<100 { await Task.yield() }
      #expect(await supervisor.state() == .refused(refusal))
      return true
    }
    #expect(await connector.attempts == 1)
  }

  @Test(arguments: [
    ConnectionProblem.ProblemKind.certificateWrongName, .certificateNotYetValid, .tlsUnavailable,
    .notXMPP,
    .serviceNotOffered, .domainNotServed,
  ])
  func
    `what stands in the server's place may pass: it is tried again, while the refusal stays on the screen`(
      kind: ConnectionProblem.ProblemKind
    ) async
  {
    let gate = ConnectionProblem(kind, host: "example.org", port: 5222)
    let connector = ScriptedConnector([.failure(gate), .failure(gate), .success(lasting())])
    var states: [ConnectionState] = []
    await run(
      supervisor(connector, backoff: Backoff(first: .milliseconds(2), longest: .milliseconds(2)))
    ) { state in
      states.append(state)
      return state == .online
    }
    #expect(states == [.connecting(host: "example.org"), .refused(gate), .online])
  }

  @Test func `a network change ends the wait after what another network has shown`() async {
    let gate = ConnectionProblem(.certificateSelfSigned, host: "example.org", port: 5222)
    let connector = ScriptedConnector([.failure(gate), .success(lasting())])
    let supervisor = supervisor(connector, sleep: Pause.endless)
    await run(supervisor) { state in
      if state == .refused(gate) { await supervisor.networkChanged(.interfaces) }
      return state == .online
    }
    #expect(await connector.attempts == 2)
  }

  @Test func `what another network shows does not cost the session that can go on`() async {
    let gate = ConnectionProblem(.certificateWrongName, host: "example.org", port: 5222)
    let first = FakeStream(batches: [], endsByItself: false, canResume: true)
    let connector = ScriptedConnector([.success(first), .failure(gate), .success(lasting())])
    let supervisor = supervisor(
      connector, backoff: Backoff(first: .milliseconds(2), longest: .milliseconds(2)))
    var times = 0
    await run(supervisor) { state in
      guard state == .online else { return false }
      times += 1
      if times == 2 { return true }
      await supervisor.waitUntilSetUp()
      await first.drop()
      return false
    }
    #expect(await connector.resumed == [nil, "old", "old"])
  }

}

import Diagnostics
import Foundation
import NatterCore
import Sockets
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import ConnectionService

/// flows.md, "Long connection", as far as it needs no resumption.
@Suite(.timeLimit(.minutes(6))) struct ConnectionSupervisorTests {
  let hub = EventHub()
  let account = Account(jid: JID(local: "alice", domain: "example.org"))
  let consumer = RecordingConsumer()

  private func supervisor(
    _ connector: ScriptedConnector, heartbeat: Heartbeat = Heartbeat(interval: .seconds(3600)),
    at time: Date? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) -> ConnectionSupervisor {
    ConnectionSupervisor(
      account: account, credentials: FixedCredentials(), connector: connector,
      consumers: [consumer], hub: hub, log: .none, backoff: .quick,
      heartbeat: heartbeat, now: { time ?? Date() }, random: { 0.5 }, sleep: sleep)
  }

  /// Runs `supervisor` until `condition` holds for what was published.
  private func run(
    _ supervisor: ConnectionSupervisor,
    until isEnough: @escaping @Sendable ([ConnectionState]) -> Bool
  ) async -> [ConnectionState] {
    let events = hub.events()
    return await withTaskGroup(of: [ConnectionState]?.self) { group in
      group.addTask {
        await supervisor.run()
        return nil
      }
      group.addTask {
        var states: [ConnectionState] = []
        for await event in events {
          guard case .connectionChanged(let state) = event else { continue }
          states.append(state)
          if isEnough(states) { return states }
        }
        return states
      }
      var states: [ConnectionState]?
      while states == nil, let next = await group.next() { states = next }
      group.cancelAll()
      return states ?? []
    }
  }

  @Test func `TCP login ok: yes, the session starts and stanzas reach the consumers in order`()
    async
  {
    let stream = FakeStream(batches: [
      [.message(from: "bob@example.org", id: "1", body: "one")],
      [.message(from: "bob@example.org", id: "2", body: "two")],
    ])
    let connector = ScriptedConnector([.success(stream)])
    _ = await run(supervisor(connector)) {
      $0.last.map { if case .waiting = $0 { true } else { false } } ?? false
    }
    #expect(await consumer.log.contains("started"))
    #expect(await consumer.log.filter { $0.hasPrefix("stanza") } == ["stanza 1", "stanza 2"])
    #expect(await consumer.log.last == "ended")
    #expect(await stream.handled == 2)
  }

  @Test(arguments: [
    (StreamError.Condition.policyViolation, ["started", "refused policy-violation", "ended"]),
    (.systemShutdown, ["started", "ended"]),
  ])
  func `a session that ends over what was sent reports that first, and is not resumed`(
    condition: StreamError.Condition, log: [String]
  ) async {
    let stream = FakeStream(batches: [], endsByItself: false, canResume: true)
    let connector = ScriptedConnector([.success(stream)])
    let supervisor = supervisor(connector)
    let work = Task { await supervisor.run() }
    while await !consumer.log.contains("started") { await Task.yield() }
    await stream.end(.stream(StreamError(condition)))
    while await connector.attempts < 2 { await Task.yield() }
    work.cancel()
    await work.value
    #expect(await consumer.log == log)
    // It goes on trying while this looks.
    #expect(await connector.resumed.prefix(2) == [nil, nil])
  }

  @Test func `h counts a stanza only when each consumer has committed what it carries`() async {
    // flows.md, "Receiving": "only after what it carries is committed to the database".
    let stream = FakeStream(
      batches: [
        [.message(from: "bob@example.org", id: "1", body: "one")],
        [.message(from: "bob@example.org", id: "2", body: "two")],
      ], endsByItself: false)
    let (slow, second) = (SlowConsumer(), RecordingConsumer())
    let supervisor = ConnectionSupervisor(
      account: account, credentials: FixedCredentials(),
      connector: ScriptedConnector([.success(stream)]), consumers: [second, slow], hub: hub,
      log: .none)
    let work = Task { await supervisor.run() }
    while await !slow.isWorking { await Task.yield() }
    // The first one has it; that is not enough.
    #expect(await second.log.contains("stanza 1"))
    for _ in 0..<1_000 { await Task.yield() }
    #expect(await stream.handled == 0)
    #expect(await !second.log.contains("stanza 2"))
    await slow.commit()
    while await stream.handled < 2 { await Task.yield() }
    work.cancel()
    await work.value
  }

  @Test func `when it says that it is online, every consumer has its way to the server`() async {
    // The first one's work of starting never ends, as while a server takes its time to answer.
    let (slow, second) = (StuckConsumer(), RecordingConsumer())
    let supervisor = ConnectionSupervisor(
      account: account, credentials: FixedCredentials(),
      connector: ScriptedConnector([.success(FakeStream(batches: [], endsByItself: false))]),
      consumers: [slow, second], hub: hub, log: .none)
    let events = hub.events()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await supervisor.run() }
      for await event in events {
        if case .connectionChanged(.online) = event { break }
      }
      #expect(await second.isOpen)
      #expect(await second.log.isEmpty)
      group.cancelAll()
    }
  }

  @Test func `TCP login ok: no, it waits and tries again, saying why`() async {
    let refused = ConnectionProblem(.refused, host: "example.org", port: 5222)
    let connector = ScriptedConnector([
      .failure(refused), .failure(refused), .success(FakeStream(batches: [], endsByItself: false)),
    ])
    let states = await run(supervisor(connector)) { $0.last == .online }
    let waits = states.count { if case .waiting(_, refused) = $0 { true } else { false } }
    #expect(waits == 2)
  }

  @Test func `a rejected credential does not retry, it asks`() async {
    let problem = ConnectionProblem(.wrongPassword, host: "example.org", port: 5222)
    let connector = ScriptedConnector([.failure(problem)])
    let events = hub.events()
    let states = await run(supervisor(connector)) { $0.last == .refused(problem) }
    #expect(states.last == .refused(problem))
    #expect(await connector.attempts == 1)
    let published = await events.published(on: hub)
    #expect(published.contains(.credentialRefused(problem)))
  }

  @Test func `connect now ends the wait`() async {
    let problem = ConnectionProblem(.refused, host: "example.org", port: 5222)
    let connector = ScriptedConnector([
      .failure(problem), .success(FakeStream(batches: [], endsByItself: false)),
    ])
    // A sleep that never ends: only the user can end it.
    let supervisor = supervisor(connector, sleep: Pause.endless)
    let events = hub.events()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await supervisor.run() }
      for await event in events {
        if case .connectionChanged(.waiting) = event { await supervisor.connectNow() }
        if case .connectionChanged(.online) = event { break }
      }
      group.cancelAll()
    }
    #expect(await connector.attempts == 2)
  }

  @Test func `go offline closes the session and stays offline`() async {
    let connector = ScriptedConnector([.success(FakeStream(batches: [], endsByItself: false))])
    let supervisor = supervisor(connector)
    let events = hub.events()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await supervisor.run() }
      for await event in events {
        if case .connectionChanged(.online) = event { await supervisor.goOffline() }
        if case .connectionChanged(.offline) = event { break }
      }
      group.cancelAll()
    }
    #expect(await connector.attempts == 1)
    #expect(await consumer.log.last == "ended")
  }

  @Test func `heartbeat answered: no, failures > limit: yes, drop the connection and reconnect`()
    async
  {
    let dead = FakeStream(batches: [], endsByItself: false, answersProbes: false)
    let connector = ScriptedConnector([
      .success(dead), .success(FakeStream(batches: [], endsByItself: false)),
    ])
    let beat = Heartbeat(interval: .milliseconds(1), answerLimit: .milliseconds(1), resends: 2)
    _ = await run(supervisor(connector, heartbeat: beat)) { states in
      states.filter { $0 == .online }.count == 2
    }
    #expect(await dead.probes == 3)
    #expect(await connector.attempts == 2)
  }

  @Test(arguments: [true, false])
  func `a connection that breaks: the session goes on with the next one, where the server has it`(
    isResumed: Bool
  ) async {
    let first = FakeStream(batches: [], endsByItself: false, canResume: true)
    let second = FakeStream(batches: [], endsByItself: false, isResumed: isResumed)
    let connector = ScriptedConnector([.success(first), .success(second)])
    let supervisor = supervisor(connector)
    let events = hub.events()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await supervisor.run() }
      var times = 0
      for await event in events {
        guard case .connectionChanged(.online) = event else { continue }
        times += 1
        if times == 2 { break }
        await supervisor.waitUntilSetUp()
        await first.drop()
      }
      while await consumer.log.count < 2 { await Task.yield() }
      group.cancelAll()
    }
    #expect(await connector.resumed.last == "old")
    #expect(
      await consumer.log.prefix(3)
        == (isResumed ? ["started", "resumed", "ended"] : ["started", "ended", "started"]))
  }

  /// Online, cut, an attempt that ends with `problem`, online again.
  private func broken(by problem: ConnectionProblem, isResumed: Bool) async -> ScriptedConnector {
    let first = FakeStream(batches: [], endsByItself: false, canResume: true)
    let last = FakeStream(batches: [], endsByItself: false, isResumed: isResumed)
    let connector = ScriptedConnector([.success(first), .failure(problem), .success(last)])
    let supervisor = supervisor(connector)
    let events = hub.events()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await supervisor.run() }
      var times = 0
      for await event in events {
        guard case .connectionChanged(.online) = event else { continue }
        times += 1
        if times == 2 { break }
        await supervisor.waitUntilSetUp()
        await first.drop()
      }
      while await consumer.log.count < (isResumed ? 2 : 3) { await Task.yield() }
      group.cancelAll()
    }
    return connector
  }

  @Test(arguments: [ConnectionProblem.ProblemKind.closed, .serverError])
  func `a resumption that the server answers by ending the stream is not tried again`(
    kind: ConnectionProblem.ProblemKind
  ) async {
    var problem = ConnectionProblem(kind, host: "example.org")
    problem.isAboutResumption = true
    let connector = await broken(by: problem, isResumed: false)
    #expect(await connector.resumed == [nil, "old", nil])
    #expect(await consumer.log.prefix(3) == ["started", "ended", "started"])
    // Bound again under its name, so that what is left of the old session ends.
    #expect(await connector.resources.last == Session.fixture.jid.resource)
  }

  @Test(arguments: [ConnectionProblem.ProblemKind.closed, .serverError])
  func `a session outlives what closes every connection while its server is away`(
    kind: ConnectionProblem.ProblemKind
  ) async {
    let problem = ConnectionProblem(kind, host: "example.org")
    let connector = await broken(by: problem, isResumed: true)
    #expect(await connector.resumed == [nil, "old", "old"])
    #expect(await consumer.log.prefix(2) == ["started", "resumed"])
  }

  @Test func `the acks of a refused resumption are reported before the old session ends`() async {
    let first = FakeStream(batches: [], endsByItself: false, canResume: true)
    let second = FakeStream(batches: [], endsByItself: false, acknowledgedEarlier: ["m1", "m2"])
    let supervisor = supervisor(ScriptedConnector([.success(first), .success(second)]))
    let events = hub.events()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await supervisor.run() }
      var times = 0
      for await event in events {
        guard case .connectionChanged(.online) = event else { continue }
        times += 1
        if times == 2 { break }
        await supervisor.waitUntilSetUp()
        await first.drop()
      }
      while await consumer.log.count < 4 { await Task.yield() }
      group.cancelAll()
    }
    #expect(await consumer.log.prefix(4) == ["started", "had m1 m2", "ended", "started"])
  }

  @Test func `go offline while it connects: it does not go online`() async {
    let (wait, letGo) = AsyncStream<Void>.makeStream()
    let connector = ScriptedConnector([.success(FakeStream(batches: [], endsByItself: false))]) {
      for await _ in wait {}
    }
    let supervisor = supervisor(connector)
    let events = hub.events()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await supervisor.run() }
      while await connector.attempts == 0 { await Task.yield() }
      await supervisor.goOffline()
      // It says so at once.
      #expect(await supervisor.state() == .offline)
      letGo.finish()
      while await connector.locations.isEmpty { await Task.yield() }
      for _ in 0..<100 { await Task.yield() }
      group.cancelAll()
    }
    let states = await events.published(on: hub).compactMap { event -> ConnectionState? in
      if case .connectionChanged(let state) = event { state } else { nil }
    }
    #expect(!states.contains(.online))
    #expect(await consumer.log.isEmpty)
  }

  @Test func `a server that throws everybody out again is asked slower and slower`() async {
    // It takes this client in, and ends the connection at once: no time passes.
    let connector = ScriptedConnector((1...4).map { _ in .success(FakeStream(batches: [])) })
    let waits: @Sendable ([ConnectionState]) -> [TimeInterval] = {
      $0.compactMap { state in
        if case .waiting(let until, _) = state { until.timeIntervalSince1970 } else { nil }
      }
    }
    let states = await run(supervisor(connector, at: Date(timeIntervalSince1970: 0))) {
      waits($0).count == 4
    }
    let ends = waits(states)
    #expect(ends.first == 0)
    #expect(zip(ends, ends.dropFirst()).allSatisfy { $0 < $1 }, "\(ends)")
  }

  @Test(arguments: [
    (StreamFailure.stream(StreamError(.conflict, text: "User removed")), true),
    (.stream(StreamError(.notAuthorized, text: "Account deleted")), true),
    (.stream(StreamError(.conflict, text: "Replaced by new connection")), false),
    (.stream(StreamError(.systemShutdown)), false), (.ended, false),
  ])
  func `the end of the stream that says that the account is gone answers the request`(
    end: StreamFailure, isAnswer: Bool
  ) async {
    let box = Observed<FakeStream?>(nil)
    let stream = FakeStream(
      batches: [], endsByItself: false,
      answer: { _ in
        await box.value?.end(end)
        throw ChannelError.notConnected
      })
    box.update { $0 = stream }
    let supervisor = supervisor(ScriptedConnector([.success(stream)]))
    let outcome = Observed<Bool?>(nil)
    let events = hub.events()
    let work = Task { await supervisor.run() }
    for await event in events {
      if case .connectionChanged(.online) = event { break }
    }
    do {
      try await supervisor.requestRemoval(Element("iq", Namespace.client, ["type": "set"]))
      outcome.update { $0 = true }
    } catch {
      #expect(error as? ChannelError == .notConnected)
      outcome.update { $0 = false }
    }
    work.cancel()
    await work.value
    #expect(outcome.value == isAnswer)
  }

  @Test func `without a connection the channel says so`() async {
    let supervisor = supervisor(ScriptedConnector([]))
    await #expect(throws: ChannelError.notConnected) {
      try await supervisor.send(Element("message", Namespace.client))
    }
  }
}

import Diagnostics
import FoundationEssentials
import NatterCore
import Sockets
import XMPP

/// Keeps an account connected (flows.md, "Long connection"): connects, feeds the services, notices
/// when the connection is dead, waits and connects again, and says at every moment how things
/// stand.
package actor ConnectionSupervisor: ConnectionControlling, StanzaChannel {
  let account: Account
  let credentials: any CredentialStoring
  let renewal: (any CredentialRenewing)?
  private let connector: any StreamConnecting
  let consumers: [any SessionConsuming]
  private let keeper: (any ResumptionKeeping)?
  let hub: EventHub
  let log: Log
  var backoff: Backoff
  let heartbeat: Heartbeat
  private let network: NetworkMonitor?
  let now: @Sendable () -> Date
  let random: @Sendable () -> Double
  let sleep: @Sendable (Duration) async throws -> Void
  /// What this connection is called among the account's. Once the server chose a name it is kept: binding it again ends
  /// what is left of the session before, so that nothing of that one is still under way when the next one begins.
  private var resource: String?

  var current: ConnectionState = .offline
  var stream: (any LiveStream)?
  var isWanted = true
  /// The session whose connection broke; it goes on with the next one where the server still has it.
  private var resumption: StreamResumption?
  /// Whether the consumers have a session, be there a connection or not.
  private var hasSession = false
  /// Whether every consumer is done with what it does when a session starts.
  private var hasSettled = false
  var wakeUp: AsyncStream<Void>.Continuation?
  /// Ends the wait for the next beat.
  var beatNow: AsyncStream<Void>.Continuation?
  /// Tells that a message was written.
  var wroteMessage: AsyncStream<Void>.Continuation?
  /// The network changed while no beat was waited for: the next one is due at once.
  var isBeatDue = false
  /// Where the server sent this client while it was online (RFC 6120 §4.9.3.19): the next attempt begins there.
  private var detour: RedirectTarget?
  /// How often in a row it did, since a session lasted.
  private var detours = 0
  private static let detourLimit = 3
  /// For how many seconds a connection has to last to count as a success.
  private static let soundness: TimeInterval = 2
  /// Whether the last attempt failed with a token to come back with: the next one does without.
  var distrustsToken = false
  /// Whether the person looks (XEP-0352).
  var isActive = true
  /// What the session that the server has is worth.
  var trials = ResumptionHealth()
  /// Whether the next attempt is made without a word: the last one's refusal stays on the screen.
  var isTryingQuietly = false

  /// - Parameters:
  ///   - renewal: renews tokens that have expired; `nil`: nothing does.
  ///   - network: tells of changes of the network and of sleep.
  ///   - consumers: the services' inboxes, in the order in which each batch visits them.
  ///   - keeper: keeps the session for the next run of the program; `nil`: it ends with this one.
  ///   - random: values in 0..<1, for the jitter of waits.
  package init(
    account: Account, credentials: any CredentialStoring,
    renewal: (any CredentialRenewing)? = nil, connector: any StreamConnecting,
    consumers: [any SessionConsuming], hub: EventHub, log: Log, resource: String? = nil,
    keeper: (any ResumptionKeeping)? = nil,
    backoff: Backoff = Backoff(), heartbeat: Heartbeat = Heartbeat(),
    network: NetworkMonitor? = nil,
    now: @escaping @Sendable () -> Date = { Date() },
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.account = account
    self.credentials = credentials
    self.renewal = renewal
    self.connector = connector
    self.consumers = consumers
    self.keeper = keeper
    self.hub = hub
    self.log = log
    self.resource = resource
    self.backoff = backoff
    self.heartbeat = heartbeat
    self.network = network
    self.now = now
    self.random = random
    self.sleep = sleep
  }

  /// Runs until the task is cancelled; then the connection is closed in order.
  package func run() async {
    do {
      resumption = try await keeper?.keptSession()
      resource = resumption?.session.jid.resource ?? resource
    } catch {
      // Then there is a new session, and what is missing comes from the archive.
      log.warning("the last session could not be read: \(error)")
    }
    await withTaskGroup(of: Void.self) { group in
      if let network {
        group.addTask { for await change in network.changes { await self.networkChanged(change) } }
      }
      await keepConnected()
      group.cancelAll()
    }
    await endSession()
  }

  private func keepConnected() async {
    while !Task.isCancelled {
      if !isWanted {
        await endSession()
        // The person may have thought better of it meanwhile.
        if isWanted { continue }
        change(to: .offline)
        await pause(nil)
        continue
      }
      // What was refused stays on the screen while it is tried again by itself.
      if !isTryingQuietly { change(to: .connecting(host: account.server ?? account.jid.domain)) }
      isTryingQuietly = false
      do {
        let problem = try await oneSession()
        guard let problem else { continue }  // Closed at the person's wish.
        // Sent elsewhere: there is nothing to wait for, unless it goes on like this.
        if detour != nil, detours <= Self.detourLimit { continue }
        await rest(after: problem)
      } catch let problem as ConnectionProblem {
        await rest(after: problem)
      } catch is CancellationError {
        return
      } catch {
        log.error("connecting failed: \(error)")
        await rest(
          after: ConnectionProblem(.serverError, host: account.jid.domain, detail: "\(error)"))
      }
    }
  }

  // MARK: - The person's hand

  package func state() -> ConnectionState { current }

  package func connectNow() {
    isWanted = true
    isTryingQuietly = false
    backoff.reset()
    wakeUp?.finish()
  }

  package func goOffline() async {
    isWanted = false
    wakeUp?.finish()
    // What is under way ends by itself; nobody waits for it any more.
    if case .connecting = current { change(to: .offline) }
    await stream?.close()
  }

  package func clientActive(_ isActive: Bool) async {
    guard isActive != self.isActive else { return }
    self.isActive = isActive
    await stream?.setActive(isActive)
  }

  // MARK: - One session

  /// Connects and serves until the connection ends.
  /// - Returns: why it ended, or `nil` when it was closed from here.
  private func oneSession() async throws -> ConnectionProblem? {
    let credential = try await storedCredential()
    guard isWanted else { return nil }
    let attempt = now()
    let stream = try await connectedAfterRenewal(credential)
    // The person did not want to wait for it.
    guard isWanted else {
      await stream.close()
      return nil
    }
    let session = stream.session
    resource = session.jid.resource ?? resource
    let beginning = now()
    let setUp = beginning.timeIntervalSince(attempt)
    resumption = nil
    // A session of an earlier run begins anew for the consumers, who know nothing of it, and one that was cut off while they
    // were at its beginning.
    let goesOn = stream.isResumed && hasSession
    if !goesOn {
      await passOn(acknowledged: stream.acknowledgedEarlier)
      if !stream.isResumed { await endSession() }
    }
    if let keeper { await stream.keep(in: keeper) }
    self.stream = stream
    isBeatDue = false
    for consumer in consumers { await consumer.connectionOpened() }
    if !goesOn {
      hasSession = true
      // Before anybody is told of it: a person who sees "online" and asks for something must not hear "offline".
      for consumer in consumers { await consumer.channelOpened(self) }
      if stream.isResumed {
        let ids = await stream.unacknowledged
        for consumer in consumers { await consumer.sessionTakenUp(underWay: ids) }
      }
    }
    change(to: .online)
    log.info("online as \(session.jid)\(stream.isResumed ? ", session resumed" : "")")
    let beat = heartbeat
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await stream.run() }
      group.addTask { await self.passAcknowledgements(of: stream) }
      group.addTask { await self.watchAnswers(of: stream) }
      group.addTask { [log] in
        if await self.isDeaf(stream, setUp: setUp) {
          log.warning("the session was resumed, and the server does not answer in it")
          return await stream.drop()
        }
        // A connection that does not answer is dead, whatever the operating system thinks of it.
        if await beat.watch(stream, wait: self.waitForBeat) == .dead {
          log.warning("no answer from the server: dropping the connection")
          await stream.drop()
        }
      }
      await serve(stream, session, goesOn: goesOn)
      if isWanted, !Task.isCancelled { resumption = await stream.resumption }
      await stream.close()
      group.cancelAll()
    }
    self.stream = nil
    let dropped = await stream.droppedStanzas
    if dropped > 0 { log.warning("dropped \(dropped) stanzas whose from or to is no address") }
    if trials.isDeaf { resumption = nil }
    if case .stream(let error) = await stream.endReason, error.mayBlameStanza {
      // To go on with the session would be to send the same once more.
      resumption = nil
      for consumer in consumers { await consumer.sessionRefused(error) }
    }
    let lasted = now().timeIntervalSince(beginning)
    backoff.sessionEnded(after: .seconds(lasted), isSound: lasted >= Self.soundness)
    if resumption == nil {
      await giveUpSession()
    } else if !hasSettled {
      await leaveUnsettled()
    }
    try Task.checkCancellation()
    guard isWanted else { return nil }
    guard let reason = await stream.endReason else {
      detours = 0
      return ConnectionProblem(.closed, host: account.jid.domain)
    }
    if case .stream(let error) = reason, let place = error.otherHost.flatMap(RedirectTarget.init) {
      detour = place
      detours += 1
    } else {
      detours = 0
    }
    return ConnectionProblem(reason, host: account.jid.domain)
  }

  func connected(with credential: Credential) async throws -> any LiveStream {
    // Where the server asked for this client: a detour, or the place that has the session (XEP-0198 §5). What holds for the
    // account's own server (its name in the certificate, TLS) holds there as well.
    let place = detour ?? resumption?.location.flatMap(RedirectTarget.init)
    detour = nil
    if let place {
      do {
        return try await connected(to: account.at(place), with: credential)
      } catch let problem as ConnectionProblem where !problem.asksForCredentials {
        log.info("not at \(place.host): \(problem.kind.rawValue)")
      }
    }
    return try await connected(to: account, with: credential)
  }

  private func connected(to account: Account, with credential: Credential) async throws
    -> any LiveStream
  {
    do {
      return try await connector.connect(
        account, credential, resource: resource, resuming: resumption
      ) { _ in }
    } catch let problem as ConnectionProblem
      where !problem.mayPass || problem.isAboutResumption
    {
      // Some servers answer what they do not like about a resumption by closing, or by an error of the stream: not to be
      // tried twice. Whoever closes sooner has not seen it.
      if resumption != nil { await forgetSession() }
      await endSession()
      throw problem
    }
  }

  /// - Parameter ids: of stanzas that the server had all the same.
  private func passOn(acknowledged ids: [String]) async {
    guard !ids.isEmpty else { return }
    for consumer in consumers { await consumer.serverAcknowledged(ids) }
  }

  /// Ends the session, and tells the consumers so if they have one.
  private func endSession() async {
    (resumption, trials) = (nil, ResumptionHealth())
    await tellSessionEnded()
  }

  /// Gives up what the consumers were at when the session was cut off at its beginning, not the session: that goes on at the
  /// server, with what it has said since, and they begin anew in it.
  private func leaveUnsettled() async {
    trials.wasCutOff()
    guard !trials.isStuck else {
      log.warning("the session was cut off at its beginning again and again: giving it up")
      return await giveUpSession()
    }
    resumption = resumption?.leavingWhatBeginsAnew
    await tellSessionEnded()
  }

  private func giveUpSession() async {
    await endSession()
    await forgetSession()
  }

  private func tellSessionEnded() async {
    guard hasSession else { return }
    hasSession = false
    hasSettled = false
    for consumer in consumers { await consumer.sessionEnded() }
  }

  private func forgetSession() async {
    do { try await keeper?.forgetSession() } catch {
      // The next run asks for a session that is gone, and gets a new one.
      log.warning("the session could not be forgotten: \(error)")
    }
  }

  private func start(_ session: Session, on stream: any LiveStream, goesOn: Bool) async {
    // A server takes a new connection's client for an active one.
    if !isActive { await stream.setActive(false) }
    if goesOn {
      for consumer in consumers { await consumer.sessionResumed() }
      return
    }
    if stream.isResumed {
      // Only who comes anew is told who is there (RFC 6121 §4.2.2); without it nobody's presence would be known.
      try? await stream.send(Element("presence", Namespace.client, ["type": "unavailable"]))
    }
    hub.publish(.catchUpChanged(isRunning: true))
    defer { hub.publish(.catchUpChanged(isRunning: false)) }
    // The channel is this supervisor: it stays when the session goes on over another connection.
    for consumer in consumers { await consumer.sessionStarted(session, over: self) }
    // What was cut off in the middle begins anew with the next connection.
    guard !Task.isCancelled, await stream.endReason == nil else { return }
    hasSettled = true
    trials.wasSettled()
    log.info("the session is set up")
  }

  private func serve(_ stream: any LiveStream, _ session: Session, goesOn: Bool) async {
    await withTaskGroup(of: Void.self) { group in
      // Beside the reading, so that a service that waits for an answer does not stop what arrives meanwhile.
      group.addTask { await self.start(session, on: stream, goesOn: goesOn) }
      for await batch in stream.incoming {
        for consumer in consumers { await consumer.receive(batch) }
        if !Task.isCancelled { await stream.markHandled(batch.count) }  // Else it may be lost.
      }
      group.cancelAll()
    }
  }

  private func passAcknowledgements(of stream: any LiveStream) async {
    for await ids in stream.acknowledged {
      for consumer in consumers { await consumer.serverAcknowledged(ids) }
    }
  }

  func change(to state: ConnectionState) {
    guard state != current else { return }
    current = state
    hub.publish(.connectionChanged(state))
  }
}

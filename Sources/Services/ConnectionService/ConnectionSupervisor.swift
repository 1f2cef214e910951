import Diagnostics
import FoundationEssentials
import NatterCore
import Sockets
import XML
import XMPP

/// The connection of one account (flows.md, "Long connection"): connects, passes stanzas to the
/// services, notices when the connection is dead, waits and connects again, and publishes each
/// change of its state.
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
  /// The resource. Once the server has chosen it, it is kept: binding it again ends what is left of
  /// the previous session, so that none of its stanzas are in transit when the next one begins.
  private var resource: String?

  var current: ConnectionState = .offline
  var stream: (any LiveStream)?
  var isWanted = true
  /// The session whose connection broke; the next connection resumes it if the server still has it.
  private var resumption: StreamResumption?
  /// `true` while the consumers have a session, with a connection or without.
  private var hasSession = false
  /// `true` once every consumer has finished its setup for the session.
  private(set) var hasSettled = false
  var wakeUp: AsyncStream<Void>.Continuation?
  /// Ends the wait for the next beat.
  var beatNow: AsyncStream<Void>.Continuation?
  /// Signals that a message was written.
  var wroteMessage: AsyncStream<Void>.Continuation?
  /// The network changed while no beat was waited for: the next beat is due at once.
  var isBeatDue = false
  /// The host that the server redirected this client to while online (RFC 6120 §4.9.3.19).
  private var detour: RedirectTarget?
  /// The number of redirections in a row, since a session lasted.
  private var detours = 0
  private static let detourLimit = 3
  /// The seconds that a connection has to last to count as a success.
  private static let soundness: TimeInterval = 2
  /// `true` if the last attempt failed with a FAST token: the next attempt does not use it.
  var distrustsToken = false
  /// `true` if the user is active (XEP-0352).
  var isActive = true
  /// The record of how often resuming the server's session has failed.
  var resumptionHealth = ResumptionHealth()
  /// `true` if the next attempt publishes no state: the last refusal stays on the screen.
  var isTryingQuietly = false

  /// - Parameters:
  ///   - renewal: renews tokens that have expired; `nil`: tokens are not renewed.
  ///   - network: reports changes of the network and of sleep.
  ///   - consumers: the services' inboxes, in the order in which each batch visits them.
  ///   - keeper: stores the session for the next run of the program; `nil`: it ends with this run.
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
      // There will be a new session, and the missing messages come from the archive.
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
        // The user may have changed their mind in the meantime.
        if isWanted { continue }
        change(to: .offline)
        await pause(nil)
        continue
      }
      // A refusal stays on the screen while the attempt is repeated automatically.
      if !isTryingQuietly { change(to: .connecting(host: account.server ?? account.jid.domain)) }
      isTryingQuietly = false
      do {
        let problem = try await oneSession()
        guard let problem else { continue }  // Closed at the user's request.
        // A redirection needs no wait, unless they do not stop.
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

  // MARK: - User requests

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
    // The attempt in progress ends by itself; its result is not used any more.
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
  /// - Returns: the reason why it ended; `nil` when it was closed from here.
  private func oneSession() async throws -> ConnectionProblem? {
    let credential = try await storedCredential()
    guard isWanted else { return nil }
    let attempt = now()
    let stream = try await connectedAfterRenewal(credential)
    // The user went offline in the meantime.
    guard isWanted else {
      await stream.close()
      return nil
    }
    let session = stream.session
    resource = session.jid.resource ?? resource
    let beginning = now()
    let setUp = beginning.timeIntervalSince(attempt)
    resumption = nil
    // Consumers start over when the session was resumed from a previous run, or was interrupted
    // before they finished setting up.
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
      // Before the state is published: a user who sees "online" and makes a request must not get
      // the answer "offline".
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
        // A connection that does not answer is dead, even if the operating system keeps it open.
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
    if dropped > 0 { log.warning("dropped \(dropped) stanzas: no address, or over a limit") }
    if resumptionHealth.isDeaf { resumption = nil }
    if case .stream(let error) = await stream.endReason, error.mayBlameStanza {
      // Resuming the session would send the same stanza again.
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
    if case .stream(let error) = reason, let target = error.otherHost.flatMap(RedirectTarget.init) {
      detour = target
      detours += 1
    } else {
      detours = 0
    }
    return ConnectionProblem(reason, host: account.jid.domain)
  }

  func connected(with credential: Credential) async throws -> any LiveStream {
    // The host of a redirection, or the host that has the session (XEP-0198 §5). The account's
    // requirements (the domain in the certificate, TLS) apply there too.
    let target = detour ?? resumption?.location.flatMap(RedirectTarget.init)
    detour = nil
    if let target {
      do {
        return try await connected(to: account.at(target), with: credential)
      } catch let problem as ConnectionProblem where !problem.asksForCredentials {
        log.info("not at \(target.host): \(problem.kind.rawValue)")
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
      // Some servers answer a resumption that they reject by closing, or by a stream error: do not
      // repeat it. A server that closes earlier has not seen the resumption.
      if resumption != nil { await forgetSession() }
      await endSession()
      throw problem
    }
  }

  /// - Parameter ids: of stanzas that the server had received after all.
  private func passOn(acknowledged ids: [String]) async {
    guard !ids.isEmpty else { return }
    for consumer in consumers { await consumer.serverAcknowledged(ids) }
  }

  /// Ends the session, and notifies the consumers if they have one.
  private func endSession() async {
    (resumption, resumptionHealth) = (nil, ResumptionHealth())
    await reportSessionEnded()
  }

  /// Interrupts the consumers' setup after the session was cut off at its beginning, but not the
  /// session: the server keeps it and what it has sent since, and the consumers start over in it.
  private func leaveUnsettled() async {
    resumptionHealth.wasCutOff()
    guard !resumptionHealth.isStuck else {
      log.warning("the session was cut off at its beginning again and again: giving it up")
      return await giveUpSession()
    }
    resumption = resumption?.leavingWhatBeginsAnew
    await reportSessionEnded()
  }

  private func giveUpSession() async {
    await endSession()
    await forgetSession()
  }

  private func reportSessionEnded() async {
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
    // A server assumes that the client of a new connection is active.
    if !isActive { await stream.setActive(false) }
    if goesOn {
      for consumer in consumers { await consumer.sessionResumed() }
      return
    }
    if stream.isResumed {
      // A server sends the contacts' presences only after an initial presence (RFC 6121 §4.2.2),
      // which the next one is after this.
      try? await stream.send(Element("presence", Namespace.client, ["type": "unavailable"]))
    }
    hub.publish(.catchUpChanged(isRunning: true))
    defer { hub.publish(.catchUpChanged(isRunning: false)) }
    // The channel is this supervisor: it remains when another connection resumes the session.
    for consumer in consumers { await consumer.sessionStarted(session, over: self) }
    // An interrupted setup starts over with the next connection. Closing leaves no reason behind.
    guard await stream.endReason == nil, isWanted, !Task.isCancelled else { return }
    hasSettled = true
    resumptionHealth.wasSettled()
    log.info("the session is set up")
  }

  /// Passes what arrives to the consumers. It does not run on this actor, which has nothing to do
  /// with a batch: each goes from the stream to one consumer after the other.
  @concurrent nonisolated private func serve(
    _ stream: any LiveStream, _ session: Session, goesOn: Bool
  ) async {
    await withTaskGroup(of: Void.self) { group in
      // Concurrent with reading, so that a service that waits for an answer does not block it.
      group.addTask { await self.start(session, on: stream, goesOn: goesOn) }
      for await batch in stream.incoming {
        for consumer in consumers { await consumer.receive(batch) }
        if !Task.isCancelled { await stream.markHandled(batch.count) }  // Otherwise it may be lost.
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

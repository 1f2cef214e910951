import NatterCore
import TestSupport
import XML
import XMPP

@testable import ConnectionService

struct FixedCredentials: CredentialStoring {
  func credential(for account: JID) -> Credential? { Credential(password: "secret") }
  func save(_ credential: Credential, for account: JID) {}
  func removeCredential(for account: JID) {}
}

extension ConnectionSupervisor {
  /// Waits until every consumer has set the session up: what is cut off before begins anew.
  func waitUntilSetUp() async {
    while !hasSettled, !Task.isCancelled { await Task.yield() }
  }
}

extension Backoff {
  /// Waits that a test can bear, as many as it likes.
  static var quick: Backoff {
    Backoff(first: .milliseconds(2), firstEver: .milliseconds(2), limit: 10_000)
  }
}

actor ScriptedConnector: StreamConnecting {
  private var results: [Result<FakeStream, ConnectionProblem>]
  private(set) var attempts = 0

  /// Where each attempt went; `nil`: where the domain says.
  private(set) var locations: [String?] = []
  /// The names of the sessions that were to go on.
  private(set) var resumed: [String?] = []
  /// The elements that were in transfer in the resumed sessions.
  private(set) var underWay: [[Element]] = []
  /// The resource requested for each session.
  private(set) var resources: [String?] = []
  /// Called before each attempt comes to its result.
  private let gate: @Sendable () async -> Void

  init(
    _ results: [Result<FakeStream, ConnectionProblem>],
    gate: @escaping @Sendable () async -> Void = {}
  ) {
    self.results = results
    self.gate = gate
  }

  func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    resuming old: StreamResumption?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream {
    resumed.append(old?.id)
    underWay.append(old?.unacknowledged ?? [])
    return try await connect(account, credential, resource: resource, progress: progress)
  }

  func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream {
    attempts += 1
    resources.append(resource)
    await gate()
    locations.append(account.server.map { "\($0):\(account.port ?? 0)" })
    guard !results.isEmpty else {
      throw ConnectionProblem(.unreachable, host: "example.org", port: 5222)
    }
    return try results.removeFirst().get()
  }
}

actor FakeStream: LiveStream {
  nonisolated let session = Session.fixture
  nonisolated let incoming: AsyncStream<[Stanza]>
  nonisolated let acknowledged: AsyncStream<[String]>
  private let end: AsyncStream<[Stanza]>.Continuation
  private let endAcknowledged: AsyncStream<[String]>.Continuation
  private let answersProbes: Bool
  /// Indicates, for each of the first probes, whether it is answered.
  private var firstAnswers: [Bool]
  /// The reported states of the user's activity.
  private(set) var activity: [Bool] = []
  private let location: String?
  private let (life, stop) = AsyncStream<Void>.makeStream()
  private(set) var handled = 0
  private(set) var probes = 0
  /// The time limits of the probes.
  private(set) var limits: [Duration] = []
  private(set) var endReason: StreamFailure?
  /// The written stanzas without an acknowledgement.
  private(set) var unacknowledged: [String] = []
  func holdsUnacknowledged(_ ids: [String]) { unacknowledged = ids }

  nonisolated let isResumed: Bool
  nonisolated let acknowledgedEarlier: [String]
  nonisolated let tokenNews: TokenUpdate?
  private let canResume: Bool
  /// Indicates whether the server receives stanzas in the resumed session.
  private let hears: Bool
  private var isDropped = false
  private let answer: @Sendable (Element) async throws -> Element

  init(
    batches: [[Stanza]], endsByItself: Bool = true, answersProbes: Bool = true,
    firstAnswers: [Bool] = [], isResumed: Bool = false, canResume: Bool = false,
    hears: Bool = true, location: String? = nil, acknowledgedEarlier: [String] = [],
    tokenNews: TokenUpdate? = nil,
    answer: @escaping @Sendable (Element) async throws -> Element = { _ in
      throw ChannelError.timedOut
    }
  ) {
    self.answer = answer
    self.acknowledgedEarlier = acknowledgedEarlier
    self.tokenNews = tokenNews
    self.firstAnswers = firstAnswers
    self.location = location
    self.isResumed = isResumed
    self.canResume = canResume
    self.hears = hears
    (incoming, end) = AsyncStream<[Stanza]>.makeStream()
    (acknowledged, endAcknowledged) = AsyncStream<[String]>.makeStream()
    self.answersProbes = answersProbes
    for batch in batches { end.yield(batch) }
    if endsByItself { end.finish() }
  }

  var resumption: StreamResumption? {
    guard canResume, isDropped else { return nil }
    return StreamResumption(
      id: "old", session: session, handled: 0, sent: 0,
      unacknowledged: unacknowledged.map { Element("presence", Namespace.client, ["id": $0]) },
      location: location)
  }
  func setActive(_ isActive: Bool) { activity.append(isActive) }
  /// The server ends it with a reason.
  func end(_ reason: StreamFailure) {
    endReason = reason
    close()
  }
  func drop() async {
    isDropped = true
    close()
  }
  func confirm(limit: Duration) throws {
    limits.append(limit)
    if !hears { throw ChannelError.timedOut }
  }
  func run() async { for await _ in life {} }
  func send(_ stanza: Element) {}
  func request(_ iq: Element, timeout: Duration) async throws -> Element { try await answer(iq) }
  func markHandled(_ count: Int) { handled += count }
  func probe(limit: Duration) throws {
    probes += 1
    limits.append(limit)
    if !(firstAnswers.isEmpty ? answersProbes : firstAnswers.removeFirst()) {
      throw ChannelError.timedOut
    }
  }
  func close() {
    end.finish()
    endAcknowledged.finish()
    stop.finish()
  }
}

/// One whose work at a session's start goes on until it is cancelled.
actor StuckConsumer: SessionConsuming {
  private(set) var starts = 0
  func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    starts += 1
    for await _ in AsyncStream<Never>.makeStream().stream {}
  }
}

/// One that goes offline at a session's start.
actor LeavingConsumer: SessionConsuming {
  private var supervisor: ConnectionSupervisor?
  func leave(_ supervisor: ConnectionSupervisor) { self.supervisor = supervisor }
  func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    await supervisor?.goOffline()
  }
}

/// One that commits what it gets when the test says so.
actor SlowConsumer: SessionConsuming {
  private(set) var isWorking = false
  private let (work, finish) = AsyncStream<Void>.makeStream()
  func receive(_ stanzas: [Stanza]) async {
    isWorking = true
    for await _ in work {}
  }
  func commit() { finish.finish() }
}

actor RecordingConsumer: SessionConsuming {
  private(set) var log: [String] = []
  private(set) var isOpen = false
  /// The ids of the stanzas that were in transfer in resumed sessions.
  private(set) var takenUp: [[String]] = []
  func channelOpened(_ channel: any StanzaChannel) { isOpen = true }
  func sessionTakenUp(underWay ids: [String]) { takenUp.append(ids) }
  func sessionStarted(_ session: Session, over channel: any StanzaChannel) { log.append("started") }
  func receive(_ stanzas: [Stanza]) {
    for stanza in stanzas { log.append("stanza \(stanza.element["id"] ?? "")") }
  }
  func serverAcknowledged(_ ids: [String]) { log.append("had \(ids.joined(separator: " "))") }
  func sessionResumed() { log.append("resumed") }
  func sessionRefused(_ error: StreamError) { log.append("refused \(error.condition.rawValue)") }
  func sessionEnded() { log.append("ended") }
}

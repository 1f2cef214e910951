import Diagnostics
import JSONLines
import NatterCore
import XMPP

/// An account whose events a client has subscribed to.
private struct FollowedAccount: Sendable {
  let account: BridgeAccount
  let events: AsyncStream<DomainEvent>
  /// An element when messages wait that no event has announced.
  let late: AsyncStream<Void>
}

/// One client of the bridge: reads its lines, checks and performs its requests, and sends it the
/// events that it subscribed to.
actor BridgeSession {
  /// The lines in a row without a JSON value after which the connection is closed.
  static let mostBadLines = 20
  /// The time that a client has to read an answer.
  static let answerLimit = Duration.seconds(30)
  /// The time after which a client with too many open requests may ask again.
  private static let pause = Duration.milliseconds(50)

  let connection: any BridgeConnection
  let bridge: Bridge
  /// `nil`: `hello` says who it is.
  private let client: BridgeClient?
  private let (accounts, accountContinuation) = AsyncStream<FollowedAccount>.makeStream()
  private let (gaps, gapContinuation) = AsyncStream<Void>.makeStream(
    bufferingPolicy: .bufferingNewest(1))

  /// `nil` before `hello`.
  private(set) var rights: BridgeRights?
  /// The name of the client; `nil`: the user's own program.
  private(set) var name: String?
  var rates = SessionRates()
  /// Performs requests that send or change messages one after the other.
  private let messages = SerialInbox<SingleLane>()
  /// Performs requests for what is stored one after the other, each until its answer was taken: a
  /// client may ask for many long pages, and read none. Those that the server is asked for may take
  /// long, and have a lane of their own.
  private let pages = SerialInbox<PageLane>()
  private enum PageLane { case stored, fetched }
  private var floods = FloodDetector()
  private var badLines = 0
  private var isClosed = false
  private var open: [BridgeRequest.ID: Task<Void, Never>] = [:]
  /// Those of the open requests that the client has cancelled.
  private var cancelled: Set<BridgeRequest.ID> = []
  /// The notifications that are being performed.
  private var openNotifications = 0
  var subscriptions: [String: BridgeSubscription] = [:]
  private var lastSubscription = 0
  /// The accounts whose events are followed, with what has their messages read again later.
  private(set) var followed: [JID: AsyncStream<Void>.Continuation] = [:]

  init(_ connection: any BridgeConnection, of bridge: Bridge, for client: BridgeClient?) {
    (self.connection, self.bridge, self.client) = (connection, bridge, client)
  }

  var options: BridgeOptions { bridge.options }

  /// Serves the client until it sends no more and its requests are answered, or its connection is
  /// closed.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.followAccounts() }
      group.addTask { await self.reportGaps() }
      await serveRequests()
      isClosed = true
      group.cancelAll()
    }
    for account in bridge.accounts where followed[account.jid] != nil {
      await account.feed.end()
    }
    connection.close()
  }

  /// Performs the requests of the client. It may have ended its side only, as `nc -N` does, and
  /// wait for answers.
  private func serveRequests() async {
    await withDiscardingTaskGroup { group in
      for await line in connection.lines {
        if let task = take(line) {
          group.addTask {
            await withTaskCancellationHandler {
              await task.value
            } onCancel: {
              task.cancel()
            }
          }
        }
        if isClosed { break }
      }
      if isEnded { group.cancelAll() }
    }
  }

  /// Indicates whether nothing can be sent any more.
  var isEnded: Bool { isClosed || !connection.isOpen }

  /// Handles a line.
  /// - Returns: the task that performs a request.
  private func take(_ line: LineSplitter.Line) -> Task<Void, Never>? {
    let reading: BridgeRequest.Reading
    switch line {
    case .tooLong:
      reading = .problem(
        BridgeError(.parse, "the line is longer than 1 MiB, or than memory is left"), id: nil)
    case .line(let bytes): reading = BridgeRequest.read(bytes)
    }
    switch reading {
    case .problem(let error, let id):
      badLines = error.code == .parse ? badLines + 1 : 0
      refuse(error, to: id)
      if badLines >= Self.mostBadLines { close("the client sends no JSON") }
      return nil
    case .answer:
      badLines = 0
      return nil
    case .request(let request):
      badLines = 0
      do {
        let (method, arguments) = try checked(request)
        return begin(request, method, arguments)
      } catch {
        if request.id != nil { refuse(error, to: request.id) } else { noteRefusal() }
        return nil
      }
    }
  }

  /// Checks a request up to its parameters.
  private func checked(
    _ request: BridgeRequest
  ) throws(BridgeError) -> (BridgeMethod, BridgeArguments) {
    if let id = request.id, open[id] != nil {
      throw BridgeError(.envelope, "a request with this id is open")
    }
    let isGreeting = request.method == BaseMethods.greeting
    guard rights != nil || isGreeting else { throw BridgeError(.greeting) }
    guard let method = bridge.methods[request.method] else { throw BridgeError(.unknownMethod) }
    let now = options.clock.steady()
    if let pause = rates.requests.take(at: now) { throw .tooFast(pause) }
    guard open.count + openNotifications < BridgeLimits.open else { throw .tooFast(Self.pause) }
    if method.isSending, let pause = rates.sending.take(at: now) { throw .tooFast(pause) }
    let arguments = try BridgeArguments(request.parameters, for: method.parameters)
    if isGreeting { try greet(arguments) }
    return (method, arguments)
  }

  /// Handles `hello` at once: the next line may need it.
  private func greet(_ arguments: BridgeArguments) throws(BridgeError) {
    guard arguments.integer("api") == BridgeVersion.current else {
      throw BridgeError(
        .version, details: ["speaks": .array([.integer(BridgeVersion.current)])])
    }
    guard rights == nil else { throw BridgeError(.envelope, "hello was sent before") }
    guard let client else {
      name = arguments.text("as")
      rights = options.rights(name)
      return
    }
    guard arguments.text("as") == nil else {
      throw .parameter("as", "the client is known already")
    }
    name = client.name
    rights = client.rights
  }

  // MARK: - Requests

  private func begin(
    _ request: BridgeRequest, _ method: BridgeMethod, _ arguments: BridgeArguments
  ) -> Task<Void, Never> {
    let task = Task { await performInTurn(request, method, arguments) }
    if let id = request.id { open[id] = task } else { openNotifications += 1 }
    return task
  }

  private func performInTurn(
    _ request: BridgeRequest, _ method: BridgeMethod, _ arguments: BridgeArguments
  ) async {
    guard method.isReading else { return await perform(request, method, arguments) }
    await pages.run(in: arguments.boolean("fetch") ? .fetched : .stored) {
      // The client may have gone while earlier ones were performed.
      if !isEnded { await perform(request, method, arguments) }
    }
  }

  private func perform(
    _ request: BridgeRequest, _ method: BridgeMethod, _ arguments: BridgeArguments
  ) async {
    let result: Result<BridgeAnswer, BridgeError>
    do {
      result = .success(try await answer(of: method, arguments))
    } catch {
      result = .failure(BridgeError(error))
    }
    var isCancelledByClient = false
    if let id = request.id {
      open[id] = nil
      isCancelledByClient = cancelled.remove(id) != nil
    } else {
      openNotifications -= 1
    }
    guard !isEnded else { return }
    switch result {
    case .success(let answer):
      if let id = request.id { await send(answer.result, to: id) }
      await answer.completion?()
    case .failure(let error):
      // A request that ends with the session has no answer: `BridgeRelay` repeats it elsewhere.
      if Task.isCancelled, !isCancelledByClient { return }
      if error.code == .internal { options.log.warning("\(request.method): \(error.message)") }
      guard let id = request.id else { return }
      await deliver(BridgeLine.error(error.object(options.texts), to: id))
    }
  }

  private func answer(
    of method: BridgeMethod, _ arguments: BridgeArguments
  ) async throws -> BridgeAnswer {
    let call = try call(method, arguments)
    // Messages that a client sends without waiting for answers are stored in its order.
    guard method.isSending else { return try await method.perform(call) }
    var answer = try await messages.run {
      try Task.checkCancellation()
      return try await method.perform(call)
    }
    if let waiting = answer.waiting {
      answer = BridgeAnswer(try await waiting())
    }
    return answer
  }

  private func call(_ method: BridgeMethod, _ arguments: BridgeArguments) throws -> BridgeCall {
    BridgeCall(
      bridge: bridge, session: self, clientName: name, arguments: arguments,
      permission: method.permission,
      subjects: try bridge.subjects(of: method, arguments, for: rights ?? .none))
  }

  /// Cancels an open request; its answer is an error.
  func cancel(_ id: BridgeRequest.ID) {
    guard let task = open[id] else { return }
    cancelled.insert(id)
    task.cancel()
  }

  // MARK: - Answers

  private func send(_ result: JSONLine, to id: BridgeRequest.ID) async {
    let line = BridgeLine.result(result, to: id)
    guard line.utf8.count <= BridgeLimits.line else {
      let error = BridgeError(.tooLarge).object(options.texts)
      return await deliver(BridgeLine.error(error, to: id))
    }
    await deliver(line)
  }

  /// Sends a line. A client that does not read has some time before its connection is closed.
  private func deliver(_ line: String) async {
    let end = options.clock.steady() + Self.answerLimit
    while !isEnded, !connection.send(line) {
      let left = end - options.clock.steady()
      guard left > .zero else { return close("the client does not read") }
      await waitForRoom(for: line, atMost: left)
      if Task.isCancelled { return }
    }
  }

  private func waitForRoom(for line: String, atMost limit: Duration) async {
    await withTaskGroup(of: Void.self) { [connection, clock = options.clock] group in
      group.addTask { await connection.waitForRoom(for: line) }
      group.addTask { _ = await clock.hasPassed(limit) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Answers with an error before anything was performed.
  private func refuse(_ error: BridgeError, to id: BridgeRequest.ID?) {
    // A client that sends such lines without reading the answers loses some of them.
    _ = connection.send(BridgeLine.error(error.object(options.texts), to: id))
    noteRefusal()
  }

  private func noteRefusal() {
    if floods.note(at: options.clock.steady()) { close("the client floods") }
  }

  private func close(_ reason: String) {
    guard !isClosed else { return }
    isClosed = true
    options.log.warning("a client of the bridge was closed: \(reason)")
    connection.close()
  }

  // MARK: - Events

  /// Returns the name for a new subscription.
  /// - Throws: `BridgeError.Code.busy` if there are too many.
  func newSubscriptionName() throws(BridgeError) -> String {
    guard subscriptions.count < BridgeLimits.subscriptions else { throw BridgeError(.busy) }
    lastSubscription += 1
    return "s\(lastSubscription)"
  }

  /// Begins to follow the events of an account; returns the id of its newest message.
  func follow(_ account: BridgeAccount) async throws -> Message.ID {
    if followed[account.jid] != nil { return try await account.stores.log.newestMessage() }
    let (late, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    followed[account.jid] = continuation
    // Subscribed first, so that no message is between the two.
    let events = account.hub.events()
    do {
      let newest = try await account.feed.begin()
      accountContinuation.yield(FollowedAccount(account: account, events: events, late: late))
      return newest
    } catch {
      followed[account.jid] = nil
      throw error
    }
  }

  private func followAccounts() async {
    await withDiscardingTaskGroup { group in
      for await followed in accounts {
        let account = followed.account
        group.addTask {
          for await event in followed.events { await self.handle(event, of: account) }
        }
        group.addTask {
          for await _ in followed.late {
            guard await self.options.clock.hasPassed(MessageFeed.patience) else { return }
            await self.take([], isHistory: false, of: account)
          }
        }
      }
    }
  }

  /// Sends an event to a subscription; events are dropped while the client does not read.
  /// - Returns: whether it was sent.
  @discardableResult
  func send(_ line: String, to subscription: BridgeSubscription) -> Bool {
    if trySending(line, to: subscription) { return true }
    markGap(of: subscription)
    return false
  }

  /// Sends an event, unless the client does not read.
  /// - Returns: whether it was sent.
  func trySending(_ line: String, to subscription: BridgeSubscription) -> Bool {
    guard !isClosed, !subscription.isEnded, line.utf8.count <= BridgeLimits.line,
      !subscription.hasGap || sendGap(of: subscription)
    else { return false }
    return connection.send(line)
  }

  /// Notes that an event was dropped.
  func markGap(of subscription: BridgeSubscription) {
    subscription.hasGap = true
    gapContinuation.yield()
  }

  /// Reports dropped events, as soon as the client has read enough.
  private func reportGaps() async {
    for await _ in gaps {
      while !isEnded, !Task.isCancelled {
        let open = subscriptions.values.filter(\.hasGap)
        guard let waiting = open.first(where: { !sendGap(of: $0) }) else { break }
        await connection.waitForRoom(for: gapLine(of: waiting))
      }
    }
  }

  /// - Returns: whether the client was notified.
  private func sendGap(of subscription: BridgeSubscription) -> Bool {
    guard connection.send(gapLine(of: subscription)) else { return false }
    subscription.hasGap = false
    return true
  }

  /// Returns the line that says that events were dropped.
  func gapLine(of subscription: BridgeSubscription) -> String {
    let data = JSONLine {
      $0.add("after") {
        guard subscription.events.contains(.messageNew) else { return }
        for (account, coverage) in subscription.accounts.sorted(by: {
          $0.key.description < $1.key.description
        }) {
          $0.add(account.description, Int(coverage.delivered.rawValue))
        }
      }
    }
    return BridgeLine.event(.gap, data: data.text, of: subscription.name)
  }
}

import Diagnostics
import JSONLines
import NatterCore
import XMPP

/// What a session follows besides the lines of its client.
private enum Followed: Sendable {
  /// An account whose events the client has subscribed to.
  /// - Parameter late: an element when messages wait that no event has announced.
  case account(BridgeAccount, AsyncStream<DomainEvent>, late: AsyncStream<Void>)
  /// The rights that are taken back.
  case revocations(AsyncStream<BridgeRights.Revocation>)
}

/// One client of the bridge: reads its lines, checks and performs its requests, and sends it the
/// events that it subscribed to.
actor BridgeSession {
  let connection: any BridgeConnection
  let bridge: Bridge
  /// `nil`: `hello` says who it is.
  private let client: BridgeClient?
  private let (sources, sourceContinuation) = AsyncStream<Followed>.makeStream()
  private let (gaps, gapContinuation) = AsyncStream<Void>.makeStream(
    bufferingPolicy: .bufferingNewest(1))

  /// `nil` before `hello`.
  private(set) var rights: BridgeRights?
  /// The name of the client; `nil`: the user's own program.
  private(set) var name: String?
  private let limits: ClientLimits
  var rates: SessionRates
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
  var requests = OpenRequests()
  var table = SubscriptionTable()
  /// The accounts whose events are followed, with what has their messages read again later.
  private(set) var followed: [JID: AsyncStream<Void>.Continuation] = [:]

  init(_ connection: any BridgeConnection, of bridge: Bridge, for client: BridgeClient?) {
    (self.connection, self.bridge, self.client) = (connection, bridge, client)
    limits = client?.limits ?? .person
    rates = SessionRates(limits)
  }

  var options: BridgeOptions { bridge.options }
  var subscriptions: [String: BridgeSubscription] { table.all }
  var answers: AnswerDelivery {
    AnswerDelivery(connection, options.clock, options.texts)
  }

  /// Serves the client until it sends no more and its requests are answered, or its connection is
  /// closed.
  func run() async {
    if let client { followRevocations(of: client.rights) }
    await withDiscardingTaskGroup { group in
      group.addTask { await self.followSources() }
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
      if badLines >= BridgeLimits.badLines { close("the client sends no JSON") }
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
    if let id = request.id, requests.contains(id) {
      throw BridgeError(.envelope, "a request with this id is open")
    }
    let isGreeting = request.method == BaseMethods.greeting
    guard rights != nil || isGreeting else { throw BridgeError(.greeting) }
    guard let method = bridge.methods[request.method] else { throw BridgeError(.unknownMethod) }
    try rates.take(method, open: requests.count, at: options.clock.steady())
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
      let rights = options.rights(name)
      followRevocations(of: rights)
      self.rights = rights
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
    requests.add(request.id) { number in
      Task { await perform(number, request, method, arguments) }
    }
  }

  /// Performs a request once its right is held. Requests whose right is held already keep their
  /// order; those that wait for the user hold up no other.
  private func perform(
    _ number: Int, _ request: BridgeRequest, _ method: BridgeMethod, _ arguments: BridgeArguments
  ) async {
    let call: BridgeCall
    do {
      call = try await self.call(number, method, arguments)
    } catch {
      return await finish(number, request, .failure(BridgeError(error)))
    }
    guard method.isReading else { return await perform(call, method, for: request) }
    await pages.run(in: arguments.boolean("fetch") ? .fetched : .stored) {
      // The client may have gone while earlier ones were performed.
      if !isEnded { await perform(call, method, for: request) }
    }
  }

  private func perform(
    _ call: BridgeCall, _ method: BridgeMethod, for request: BridgeRequest
  ) async {
    let result: Result<BridgeAnswer, BridgeError>
    do {
      try Task.checkCancellation()
      result = .success(try await answer(of: method, call))
    } catch {
      result = .failure(BridgeError(error))
    }
    await finish(call.number, request, result)
  }

  /// Answers a request.
  private func finish(
    _ number: Int, _ request: BridgeRequest, _ result: Result<BridgeAnswer, BridgeError>
  ) async {
    guard let isCancelledByClient = requests.remove(number) else {
      // Its right was taken back, and the client knows.
      if case .success(let answer) = result { await answer.undo?() }
      return
    }
    guard !isEnded else { return }
    switch result {
    case .success(let answer):
      if let id = request.id { await deliver(answers.line(answer.result, to: id)) }
      await answer.completion?()
    case .failure(let error):
      // A request that ends with the session has no answer: `BridgeRelay` repeats it elsewhere.
      if Task.isCancelled, !isCancelledByClient { return }
      if error.code == .internal { options.log.warning("\(request.method): \(error.message)") }
      if let id = request.id { await deliver(answers.line(error, to: id)) }
    }
  }

  private func answer(
    of method: BridgeMethod, _ call: BridgeCall
  ) async throws -> BridgeAnswer {
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

  private func call(
    _ number: Int, _ method: BridgeMethod, _ arguments: BridgeArguments
  ) async throws -> BridgeCall {
    let named = arguments.address("account")?.bare
    var subjects: [BridgeCall.Subject] = []
    if let permission = method.permission {
      var question = bridge.question([permission], in: named)
      question.mayAsk = !bridge.needsAccount(method, named)
      let holding = try await hold(question, by: number)
      subjects = try bridge.subjects(of: method, in: named, holding)
    }
    return BridgeCall(
      bridge: bridge, session: self, number: number, clientName: name, limits: limits,
      arguments: arguments, permission: method.permission, subjects: subjects)
  }

  /// Cancels an open request; its answer is an error.
  func cancel(_ id: BridgeRequest.ID) { requests.cancel(id) }

  // MARK: - Answers

  /// Sends a line. A client that does not read has some time before its connection is closed.
  func deliver(_ line: String) async {
    if await !answers.send(line, unless: { isEnded }) { close("the client does not read") }
  }

  /// Answers with an error before anything was performed.
  private func refuse(_ error: BridgeError, to id: BridgeRequest.ID?) {
    // A client that sends such lines without reading the answers loses some of them.
    _ = connection.send(answers.line(error, to: id))
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

  /// Begins to follow the events of an account; returns the id of its newest message.
  func follow(_ account: BridgeAccount) async throws -> Message.ID {
    if followed[account.jid] != nil { return try await account.stores.log.newestMessage() }
    let (late, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    followed[account.jid] = continuation
    // Subscribed first, so that no message is between the two.
    let events = account.hub.events()
    do {
      let newest = try await account.feed.begin()
      sourceContinuation.yield(.account(account, events, late: late))
      return newest
    } catch {
      followed[account.jid] = nil
      throw error
    }
  }

  /// Begins to follow the rights that are taken back, before any is used.
  private func followRevocations(of rights: BridgeRights) {
    guard let revocations = rights.revocations() else { return }
    sourceContinuation.yield(.revocations(revocations))
  }

  private func followSources() async {
    await withDiscardingTaskGroup { group in
      for await source in sources {
        switch source {
        case .account(let account, let events, let late):
          group.addTask {
            for await event in events { await self.handle(event, of: account) }
          }
          group.addTask {
            for await _ in late {
              guard await self.options.clock.hasPassed(MessageFeed.patience) else { return }
              await self.take([], isHistory: false, of: account)
            }
          }
        case .revocations(let revocations):
          group.addTask { await self.follow(revocations) }
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
        await connection.waitForRoom(for: waiting.gapLine)
      }
    }
  }

  /// - Returns: whether the client was notified.
  private func sendGap(of subscription: BridgeSubscription) -> Bool {
    guard connection.send(subscription.gapLine) else { return false }
    subscription.hasGap = false
    return true
  }
}

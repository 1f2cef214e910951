import BridgeService
import JSONLines
import NatterCore
import XMPP

nonisolated private let permissionCode = BridgeError.Code.permission.rawValue

/// Joins several accounts into one stream for a client of `natter serve`: a request goes to the
/// process that has its account, one about all accounts to each, and their lists and subscriptions
/// become one (interface.md, "Access for programs").
actor BridgeJoin {
  /// An account, and the relay to the process that has it.
  private struct Part {
    let account: JID
    let upstreams: any BridgeUpstreams
    /// The join's end of the connection to the relay, and the relay's.
    let near: LineConnection
    let far: LineConnection
    var isOpen = true
  }

  /// A request to subscribe that not all accounts have answered yet.
  private struct Beginning {
    let request: BridgeEnvelope
    var left: Int
    var isBegun = false
    var refusal: BridgeEnvelope?

    /// The error to answer with. An account in which the client has no right is left out, as in
    /// lists; without another one, the subscription would not be whole.
    var failure: BridgeEnvelope? {
      isBegun && refusal?.error?["code"]?.int == permissionCode ? nil : refusal
    }
  }

  /// The most lines in a row that are no JSON.
  private static let maximumMistakes = 20
  private static let methods = Dictionary(
    uniqueKeysWithValues: BridgeMethod.all.map { ($0.name, $0) })

  private let client: LineConnection
  private let name: String?
  private let texts: BridgeError.Texts
  private var parts: [Part]
  private var failure: (any Error)?
  private var isGreeted = false
  /// The number of accounts that have not answered, of each greeting that has no answer yet.
  private var greetings: [Int: Int] = [:]
  private var hasClientEnded = false
  private var mistakes = 0
  private var lastID = 0
  /// The handlers of answers, by the id of the request.
  private var waiting: [String: (part: Int, take: (BridgeEnvelope) -> Void)] = [:]
  /// The ids of the requests that each open request of the client has become, by its id.
  private var open: [String: [String]] = [:]
  private var subscriptions = JoinedSubscriptions()
  /// The subscriptions that not all accounts have answered yet, by their names.
  private var beginnings: [String: Beginning] = [:]
  /// The lines that are to be sent to the client.
  private var outgoing: [String] = []
  /// The tasks that wait until the client has the lines; `nil`: none are being sent.
  private var waiters: [CheckedContinuation<Void, Never>]?

  /// - Parameter accounts: at least one, each with the ways to its process.
  /// - Throws: `SocketError` when the process has no descriptors left.
  init(
    _ client: LineConnection, _ accounts: [(account: JID, upstreams: any BridgeUpstreams)],
    as name: String? = nil, texts: @escaping BridgeError.Texts = { $0.key }
  ) throws {
    (self.client, self.name, self.texts) = (client, name, texts)
    parts = try accounts.map { account, upstreams in
      let pair = try LineConnection.pair()
      return Part(account: account, upstreams: upstreams, near: pair.client, far: pair.server)
    }
  }

  /// Serves the client until it ends, and all its requests are answered.
  /// - Throws: the error of the last account, if none can be served any more.
  func run() async throws {
    await withTaskGroup(of: Void.self) { group in
      for (index, part) in parts.enumerated() {
        group.addTask { [name, texts] in
          do {
            try await BridgeRelay(part.far, part.upstreams, as: name, texts: texts).run()
            await self.ended(index, nil)
          } catch { await self.ended(index, error) }
        }
        group.addTask { for await line in part.near.lines { await self.receive(line, index) } }
      }
      for await line in client.lines {
        await take(line)
        await flush()
      }
      hasClientEnded = true
      finishIfIdle()
      await group.waitForAll()
    }
    await flush()
    await written()
    client.close()
    if let failure { throw failure }
  }

  private func finishIfIdle() {
    guard hasClientEnded, open.isEmpty || !client.isOpen else { return }
    for part in parts { part.near.close() }
  }

  /// An account cannot be served any more; the others can.
  private func ended(_ index: Int, _ error: (any Error)?) async {
    parts[index].isOpen = false
    parts[index].near.close()
    for (id, entry) in waiting where entry.part == index {
      waiting[id] = nil
      entry.take(.error(BridgeError(.busy), id: .text(id), texts))
    }
    guard !parts.contains(where: \.isOpen) else { return await flush() }
    if let error, !(error is CancellationError) { failure = error }
    client.close()
  }

  // MARK: From the client

  private func take(_ line: LineSplitter.Line) async {
    var value: JSONValue?
    if case .line(let bytes) = line { value = try? JSONValue(parsing: bytes) }
    guard let value else {
      mistakes += 1
      refuse(BridgeError(.parse), nil)
      if mistakes >= Self.maximumMistakes { client.close() }
      return
    }
    mistakes = 0
    guard case .object(let members) = value else {
      return refuse(BridgeError(.envelope, "a request is an object"), nil)
    }
    let envelope = BridgeEnvelope(members)
    guard let method = envelope.method else {
      return refuse(BridgeError(.envelope, "method is missing"), envelope.id)
    }
    guard envelope.id != nil || !envelope.hasID else {
      return refuse(BridgeError(.envelope, "the id is not valid"), nil)
    }
    if let id = envelope.id {
      guard open[id.text] == nil else {
        return refuse(BridgeError(.envelope, "a request with this id is open"), id)
      }
      guard open.count < BridgeLimits.open else {
        return refuse(BridgeError.tooFast(.milliseconds(100)), id)
      }
      open[id.text] = []
    }
    await take(envelope, method)
  }

  private func take(_ request: BridgeEnvelope, _ method: String) async {
    switch method {
    case "hello":
      let indices = parts.indices.filter { parts[$0].isOpen }
      let greeting = lastID
      greetings[greeting] = indices.count
      for index in indices {
        await ask(index, request) { self.answer(request, $0, of: greeting) }
      }
    case "cancel" where isGreeted: await cancel(request)
    case "events.subscribe" where isGreeted: await subscribe(request)
    case "events.unsubscribe" where isGreeted: await unsubscribe(request)
    default: await pass(request, method)
    }
  }

  /// Passes a request to its account, or to all.
  private func pass(_ request: BridgeEnvelope, _ method: String) async {
    if let account = account(of: request) {
      let index = parts.firstIndex { $0.account == account }
      // The first process refuses an account that there is not, after it has checked the rest.
      return await forward(request, to: index ?? 0)
    }
    guard isGreeted, let known = Self.methods[method], parts.count > 1 else {
      return await forward(request, to: parts.firstIndex(where: \.isOpen) ?? 0)
    }
    if known.coversAllAccounts {
      if let skip = request.parameter("skip"), skip.int.map({ $0 < 0 }) ?? true {
        return await forward(request, to: parts.firstIndex(where: \.isOpen) ?? 0)
      }
      // Further requests of the client do not wait for it.
      Task { await self.list(request, method) }
      return
    }
    guard !known.isOfOneAccount else {
      let error = BridgeError.parameter("account", "is missing, and there are several accounts")
      return answer(request, .error(error, id: .null, texts))
    }
    await forward(request, to: parts.firstIndex(where: \.isOpen) ?? 0)
  }

  private func account(of request: BridgeEnvelope) -> JID? {
    request.parameter("account")?.string.flatMap { JID(parsing: $0)?.bare }
  }

  private func forward(_ request: BridgeEnvelope, to index: Int) async {
    await ask(index, request) { self.answer(request, $0) }
  }

  private func cancel(_ request: BridgeEnvelope) async {
    for id in open[request.parameter("id")?.text ?? ""] ?? [] {
      guard let part = waiting[id]?.part else { continue }
      let cancel = BridgeEnvelope.request("cancel", .object(["id": .text(id)]), id: nil)
      await parts[part].near.sendInTurn(cancel.text)
    }
    answer(request, .result(.object([:]), id: .null))
  }

  // MARK: Answers

  /// Makes a request of one account.
  /// - Parameter take: gets the answer, in the order of the answers.
  private func ask(
    _ index: Int, _ request: BridgeEnvelope, _ take: @escaping (BridgeEnvelope) -> Void
  ) async {
    lastID += 1
    let id = "join-\(lastID)"
    guard parts[index].isOpen else {
      return take(.error(BridgeError(.busy), id: .text(id), texts))
    }
    waiting[id] = (index, take)
    if let own = request.id { open[own.text]?.append(id) }
    await parts[index].near.sendInTurn(request.with(id: .text(id)).text)
  }

  /// Makes a request of one account, and waits for the answer.
  private func reply(_ index: Int, _ request: BridgeEnvelope) async -> BridgeEnvelope {
    let (answers, continuation) = AsyncStream<BridgeEnvelope>.makeStream()
    await ask(index, request) {
      continuation.yield($0)
      continuation.finish()
    }
    for await answer in answers { return answer }
    return .error(BridgeError(.cancelled), id: .null, texts)
  }

  /// Answers a request of the client; a notification has no answer.
  private func answer(_ request: BridgeEnvelope, _ answer: BridgeEnvelope) {
    guard let id = request.id, open.removeValue(forKey: id.text) != nil else { return }
    outgoing.append(answer.with(id: id).text)
    finishIfIdle()
  }

  /// Answers a greeting with the first answer of an account. One that cannot be served leaves it to
  /// the others. The client may use the id again once it has the answer.
  private func answer(_ request: BridgeEnvelope, _ answer: BridgeEnvelope, of greeting: Int) {
    if answer.error == nil { isGreeted = true }
    guard let left = greetings[greeting] else { return }
    let isLost = answer.error?["code"]?.int == BridgeError.Code.busy.rawValue
    if isLost, left > 1 {
      greetings[greeting] = left - 1
    } else {
      greetings[greeting] = nil
      self.answer(request, answer)
    }
  }

  /// Refuses a line that has not become an open request: one with the same id may be open.
  private func refuse(_ error: BridgeError, _ id: JSONValue?) {
    outgoing.append(BridgeEnvelope.error(error, id: id ?? .null, texts).text)
  }

  /// Takes a line of an account.
  private func receive(_ line: LineSplitter.Line, _ index: Int) async {
    guard let envelope = BridgeEnvelope(line) else { return }
    if envelope.method != nil {
      if let event = subscriptions.received(envelope, from: index) {
        outgoing.append(event.text)
      }
    } else if let id = envelope.id?.string, let entry = waiting.removeValue(forKey: id) {
      entry.take(envelope)
    }
    await flush()
    // A client that does not read keeps the accounts waiting, as without the join.
    await written()
  }

  /// Sends what waits for the client, unless another task is about to.
  private func flush() async {
    guard waiters == nil else { return }
    waiters = []
    while !outgoing.isEmpty {
      let lines = outgoing
      outgoing = []
      for line in lines { await client.sendInTurn(line) }
    }
    let done = waiters ?? []
    waiters = nil
    for waiter in done { waiter.resume() }
  }

  /// Waits until the task that sends lines to the client has sent them, or cannot any more.
  private func written() async {
    guard waiters != nil else { return }
    await withCheckedContinuation { waiters?.append($0) }
  }

  // MARK: Lists

  /// Answers a request about all accounts.
  private func list(_ request: BridgeEnvelope, _ method: String) async {
    var list = JoinedList(method, request)
    var refusal: BridgeEnvelope?
    for index in parts.indices where parts[index].isOpen {
      var count = 0
      while let next = list.page(request, after: count) {
        let page = await reply(index, next)
        guard let result = page.result else {
          refusal = page
          break
        }
        let added = list.add(result, isFirst: count == 0)
        count += added
        guard added > 0, result["more"]?.bool == true else { break }
      }
      // An account in which the client has no right is left out; without another one, a list
      // would not be whole.
      if let code = refusal?.error?["code"]?.int, code != BridgeError.Code.permission.rawValue {
        break
      }
    }
    if let refusal, list.isEmpty || refusal.error?["code"]?.int != permissionCode {
      answer(request, refusal)
    } else {
      answer(request, .result(list.result, id: .null))
    }
    await flush()
  }

  // MARK: Subscriptions

  private func subscribe(_ request: BridgeEnvelope) async {
    var indices = parts.indices.filter { parts[$0].isOpen }
    if let account = account(of: request) {
      // The first process refuses an account that there is not.
      indices = [parts.firstIndex { $0.account == account } ?? 0]
    }
    let name = subscriptions.begin()
    beginnings[name] = Beginning(request: request, left: indices.count)
    for index in indices {
      await ask(index, request) { self.subscribed(name, index, $0) }
    }
  }

  /// Takes the answer of an account to a request to subscribe.
  private func subscribed(_ name: String, _ index: Int, _ answer: BridgeEnvelope) {
    guard var beginning = beginnings[name] else { return }
    if let result = answer.result {
      subscriptions.add(result, of: index, to: name)
      beginning.isBegun = true
    } else if beginning.refusal?.error?["code"]?.int ?? permissionCode == permissionCode {
      beginning.refusal = answer
    }
    beginning.left -= 1
    beginnings[name] = beginning.left > 0 ? beginning : nil
    guard beginning.left == 0 else { return }
    if let failure = beginning.failure {
      end(name)
      self.answer(beginning.request, failure)
    } else {
      self.answer(beginning.request, .result(subscriptions.announcement(of: name), id: .null))
      outgoing += subscriptions.announced(name).map(\.text)
    }
  }

  private func unsubscribe(_ request: BridgeEnvelope) async {
    let name = request.parameter("subscription")?.string ?? ""
    guard subscriptions.has(name) else { return await forward(request, to: 0) }
    end(name)
    answer(request, .result(.object([:]), id: .null))
  }

  /// Ends a subscription in all accounts.
  private func end(_ name: String) {
    for (index, upstream) in subscriptions.end(name) {
      let request = BridgeEnvelope.request(
        "events.unsubscribe", .object(["subscription": .text(upstream)]), id: nil)
      parts[index].near.send(request.text)
    }
  }
}

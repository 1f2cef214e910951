import Diagnostics
import JSONLines
import NatterCore
import XMPP

/// One run of a script, from the start of its program to its end: reads its lines, answers what
/// needs no account, and passes the rest to a session of the bridge.
actor ScriptSession {
  /// The time in which what a program wrote before its end is read.
  private static let drainLimit = Duration.seconds(1)

  nonisolated let parts: ScriptParts
  nonisolated let requests: ScriptRequests
  /// Set with `true` when `hello` is answered: a script may take the first line for that answer, so
  /// Natter's requests come later. Set with `false` by an end without `hello`.
  nonisolated let greeted = Outcome<Bool>()
  nonisolated let process: any ScriptProcess
  nonisolated private let exited = Outcome<ScriptExit>()
  /// Called when an event comes for the script while it sleeps.
  private let whenWoken: @Sendable () -> Void

  var rates = ScriptRates()
  private var floods = FloodDetector()
  private var badLines = 0
  private var isGreeted = false
  private var lastLine: Duration
  /// Its open requests that the host performs, with what cancels them.
  private var own: [BridgeRequest.ID: @Sendable () -> Void] = [:]
  /// The number of those that have no answer.
  private var ownSilent = 0
  private var ending: ScriptEnding?
  private var link: ScriptLink?
  /// Indicates whether a request was refused because no account was open.
  private var missedAccounts = false
  /// What it shows on the screen.
  let screen = ScreenChanges()
  nonisolated let panes: ScriptPanes

  init(
    _ process: any ScriptProcess, _ parts: ScriptParts, whenWoken: @escaping @Sendable () -> Void,
    whenHung: @escaping @Sendable () -> Void
  ) {
    (self.process, self.parts, self.whenWoken) = (process, parts, whenWoken)
    panes = ScriptPanes(parts.script.name)
    requests = ScriptRequests(
      parts.services.clock, send: { process.connection.send($0) }, whenHung: whenHung)
    lastLine = parts.services.clock.steady()
  }

  nonisolated var clock: BridgeClock { parts.services.clock }
  private var answers: AnswerDelivery {
    AnswerDelivery(process.connection, clock, parts.services.texts)
  }

  /// Indicates whether it ends, or has ended.
  var isEnding: Bool { ending != nil || exited.value != nil }

  /// Indicates whether it has to be started anew when other accounts are open: it has
  /// subscriptions, which end with the bridge's session, or asked for an account in vain.
  var needsAccounts: Bool { link?.subscriptions.isEmpty == false || missedAccounts }

  /// Serves the script until its program has ended.
  /// - Returns: why, and the link that is kept while it sleeps.
  func run() async -> (ending: ScriptEnding, link: ScriptLink?) {
    parts.traffic.noteWork(at: clock.steady())
    let (exited, process) = (exited, process)
    Task { exited.settle(await process.exit()) }
    let drained = (lines: Outcome<Bool>(), errors: Outcome<Bool>())
    await withDiscardingTaskGroup { group in
      group.addTask {
        var rate = ByteRate()
        for await line in process.errors {
          self.parts.log.add(line)
          // Until then the script waits. Short lines take as much time as longer ones.
          var cost = ScriptLimits.errorLine
          if case .line(let bytes) = line { cost = max(cost, bytes.count) }
          let pause = rate.take(cost, at: self.clock.steady())
          if let pause, await !self.clock.hasPassed(pause) { break }
        }
        drained.errors.settle(true)
      }
      group.addTask {
        for await line in process.connection.lines {
          // Until then the script waits, as its pipe is full.
          if let pause = await self.take(line), await !self.clock.hasPassed(pause) { break }
        }
        drained.lines.settle(true)
      }
      group.addTask { await self.watchGreeting() }
      group.addTask { await self.watchSilence() }
      group.addTask { await self.watchUsage() }
      group.addTask { await self.watchProcesses() }
      group.addTask { await self.watchIdleness() }
      _ = await exited.wait()
      _ = await clock.wait(for: drained.lines, atMost: Self.drainLimit)
      _ = await clock.wait(for: drained.errors, atMost: Self.drainLimit)
      group.cancelAll()
    }
    requests.end()
    for cancel in own.values { cancel() }
    greeted.settle(isGreeted)
    let ending = ending ?? .exited(exited.value ?? .status(0))
    self.ending = ending
    let kept = ending == .asleep ? link : nil
    if kept == nil {
      link?.end()
      await screen.end(parts.services)
    }
    await reportCounts()
    return (ending, kept)
  }

  // MARK: - End

  /// Ends the run in order: `bye`, no more input, then signals.
  func end(_ reason: ScriptEnding) async {
    guard !isEnding else { return }
    ending = reason
    if reason == .asleep {
      link?.sleep(whenWoken)
    } else {
      // What waits in the bridge for an answer waits no longer.
      link?.end()
    }
    _ = process.connection.send(BridgeLine.notification("bye"))
    process.connection.close()
    if await clock.wait(for: exited, atMost: ScriptLimits.ending.byItself) != nil { return }
    process.signal(15)
    if await clock.wait(for: exited, atMost: ScriptLimits.ending.afterSignal) != nil { return }
    process.signal(9)
  }

  /// Ends the run at once.
  func kill(_ breach: ScriptBreach) {
    guard !isEnding else { return }
    ending = .broken(breach)
    parts.services.log.warning("the script \(parts.script.name) was stopped: \(breach.rawValue)")
    link?.end()
    process.signal(9)
    process.connection.close()
  }

  private func watchGreeting() async {
    guard await clock.wait(for: greeted, atMost: ScriptLimits.greeting) == nil, !Task.isCancelled
    else { return }
    await end(.mute)
  }

  /// Asks a script that is silent whether it still works.
  private func watchSilence() async {
    var next = lastLine
    while true {
      next = max(next, lastLine) + ScriptLimits.ping.silence
      let now = clock.steady()
      guard await clock.hasPassed(max(next - now, .milliseconds(1))) else { return }
      guard clock.steady() - lastLine >= ScriptLimits.ping.silence else { continue }
      do {
        _ = try await requests.call(
          ScriptRequests.ping, JSONLine(), within: ScriptLimits.ping.answer)
      } catch {
        // Three of them end it; any answer is one, also that there is no such method.
        parts.services.log.debug("the script \(parts.script.name) and ping: \(error)")
      }
      next = clock.steady()
    }
  }

  private func watchIdleness() async {
    guard parts.script.manifest.start == .lazy else { return }
    while true {
      let left = parts.traffic.lastWork + ScriptLimits.idle - clock.steady()
      if left <= .zero, own.count + ownSilent == 0, link?.openCount ?? 0 == 0, requests.isIdle {
        return await end(.asleep)
      }
      guard await clock.hasPassed(max(left, .seconds(1))) else { return }
    }
  }

  // MARK: - Lines

  /// - Returns: the pause before the next line.
  private func take(_ line: LineSplitter.Line) -> Duration? {
    // The rest of what a script has written that is killed.
    if case .broken = ending { return nil }
    lastLine = clock.steady()
    switch line {
    case .tooLong:
      takeProblem(BridgeError(.parse, "the line is longer than 1 MiB"), id: nil)
      return rates.bytes.take(BridgeLimits.line, at: lastLine)
    case .line(let bytes):
      switch BridgeRequest.read(bytes) {
      case .problem(let error, let id): takeProblem(error, id: id)
      case .answer(let answer):
        badLines = 0
        requests.take(answer)
      case .request(let request):
        badLines = 0
        take(request, bytes)
      }
      return rates.bytes.take(bytes.count, at: lastLine)
    }
  }

  private func takeProblem(_ error: BridgeError, id: BridgeRequest.ID?) {
    badLines = error.code == .parse ? badLines + 1 : 0
    refuse(error, to: id)
    if badLines >= BridgeLimits.badLines { kill(.lines) }
  }

  private func take(_ request: BridgeRequest, _ line: [UInt8]) {
    parts.traffic.countRequest()
    parts.traffic.noteWork(at: lastLine)
    do {
      try check(request)
      if let method = ScriptMethod.all[request.method] {
        let arguments = try BridgeArguments(request.parameters, for: method.parameters)
        try method.check(request.parameters)
        if request.method == ScriptMethod.greeting { try greet(arguments) }
        perform(ScriptCall(session: self, request: request, arguments: arguments), method)
      } else if !cancelOwn(request) {
        try forward(request, line)
      }
    } catch {
      if let id = request.id { refuse(error, to: id) } else { noteRefusal() }
    }
  }

  /// Checks a request up to its rate.
  private func check(_ request: BridgeRequest) throws(BridgeError) {
    if let id = request.id, own[id] != nil || link?.isOpen(id) == true {
      throw BridgeError(.envelope, "a request with this id is open")
    }
    guard isGreeted || request.method == ScriptMethod.greeting else {
      throw BridgeError(.greeting)
    }
    if let pause = rates.requests.take(at: lastLine) { throw .tooFast(pause) }
    guard own.count + ownSilent + (link?.openCount ?? 0) < BridgeLimits.open else {
      throw .tooFast(BridgeLimits.pause)
    }
  }

  /// Handles `hello` at once: the next line may need it.
  private func greet(_ arguments: BridgeArguments) throws(BridgeError) {
    guard arguments.integer("api") == BridgeVersion.current else {
      throw BridgeError(
        .version, details: ["speaks": .array([.integer(BridgeVersion.current)])])
    }
    guard !isGreeted else { throw BridgeError(.envelope, "hello was sent before") }
    isGreeted = true
  }

  // MARK: - The bridge

  /// Begins a session of the bridge.
  func connect() {
    guard !isEnding else { return }
    let link = ScriptLink(to: process.connection, parts.traffic, clock)
    self.link = link
    var limits = ClientLimits.script
    if let perHour = parts.script.sendingPerHour { limits.perHour = perHour }
    let client = BridgeClient(
      name: parts.script.name, rights: parts.services.rights.bridge, limits: limits)
    Task { [bridging = parts.services.bridging] in
      await bridging.serve(link, for: client)
      self.lose(link)
    }
  }

  /// Ends the session of the bridge.
  func disconnect() { if let link { lose(link) } }

  /// Answers what the bridge will not answer any more.
  private func lose(_ link: ScriptLink) {
    let subscriptions = link.subscriptions
    let open = link.end()
    // It may be a later one already.
    guard self.link === link else { return }
    self.link = nil
    guard !isEnding else { return }
    for id in open { refuse(BridgeError(.busy), to: id) }
    for name in subscriptions {
      let parameters = JSONLine { $0.add("subscription", name) }
      _ = process.connection.send(BridgeLine.notification("event.ended", parameters))
    }
  }

  private func forward(_ request: BridgeRequest, _ line: [UInt8]) throws(BridgeError) {
    guard let link else {
      missedAccounts = true
      throw BridgeError(.busy, "no account is open")
    }
    guard request.method == AnsweredMessages.method else {
      return try link.forward(request, line, nil)
    }
    let ticket = try parts.traffic.send(request.parameters)
    do throws(BridgeError) { try link.forward(request, line, ticket) } catch {
      if let ticket { parts.traffic.fail(ticket) }
      throw error
    }
  }

  // MARK: - Requests that the host performs

  /// - Returns: whether a request cancels one that the host performs.
  private func cancelOwn(_ request: BridgeRequest) -> Bool {
    guard request.method == "cancel",
      let id = request.parameters["id"].flatMap({ BridgeRequest.ID($0) }),
      let cancel = own[id]
    else { return false }
    cancel()
    if let id = request.id { _ = process.connection.send(BridgeLine.result(JSONLine(), to: id)) }
    return true
  }

  private func perform(_ call: ScriptCall, _ method: ScriptMethod) {
    let id = call.request.id
    let cancel: @Sendable () -> Void
    if method.isStored {
      let task = parts.stored.begin { await self.answer(call, method) }
      cancel = { task.cancel() }
    } else {
      let task = Task { await self.answer(call, method) }
      cancel = { task.cancel() }
    }
    if let id { own[id] = cancel } else { ownSilent += 1 }
  }

  private func answer(_ call: ScriptCall, _ method: ScriptMethod) async {
    defer { if method.name == ScriptMethod.greeting { greeted.settle(true) } }
    let line: String
    let id = call.request.id
    do {
      let result = try await method.perform(call)
      line = id.map { answers.line(result, to: $0) } ?? ""
    } catch {
      let error = Task.isCancelled ? BridgeError(.cancelled) : BridgeError(error)
      if error.code == .internal {
        parts.services.log.warning("\(parts.script.name), \(method.name): \(error.message)")
      }
      line = answers.line(error, to: id)
    }
    guard let id else {
      ownSilent -= 1
      return
    }
    own[id] = nil
    await deliver(line)
  }

  /// Sends an answer as soon as the script has room for it.
  private func deliver(_ line: String) async {
    // One that does not read is stopped for other reasons.
    _ = await answers.send(line) { isEnding || !process.connection.isOpen }
  }

  /// Answers with an error before anything was performed.
  private func refuse(_ error: BridgeError, to id: BridgeRequest.ID?) {
    // A script that sends such lines without reading the answers loses some of them.
    _ = process.connection.send(answers.line(error, to: id))
    noteRefusal()
  }

  private func noteRefusal() { if floods.note(at: lastLine) { kill(.flood) } }
}

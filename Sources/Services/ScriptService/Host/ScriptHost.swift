import Diagnostics
import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// One script that is enabled: starts its program, ends it, and starts it again.
///
/// Nothing of it waits for the program longer than a limit says, and nothing else waits for it.
package actor ScriptHost {
  private let parts: ScriptParts
  /// Serializes starts and ends.
  private let changes = SerialInbox<SingleLane>()
  private var session: ScriptSession?
  /// Ends when the run has ended and `finish` was called.
  private var running: Task<Void, Never>?
  /// The subscriptions of a script that sleeps.
  private var asleep: ScriptLink?
  /// Waits to start the script again after a crash.
  private var restarting: Task<Void, Never>?
  private var policy = RestartPolicy()
  /// The number of those that wait for its end.
  private var stops = 0
  /// Indicates whether nothing may start it any more.
  private var isRetired = false
  /// The end of the last run.
  private var lastEnd: StatusNotice?
  package private(set) var state = ScriptState.sleeping

  package init(_ script: HostedScript, _ services: ScriptHostServices) {
    parts = ScriptParts(script, services)
  }

  private var services: ScriptHostServices { parts.services }
  private var title: [String: String] { ["script": parts.script.manifest.title] }

  /// The last lines of its standard error, the oldest first; made safe.
  package func logLines() -> [String] { parts.log.all }

  /// The id of the last message of each account that the script was sent, by bare address: for
  /// `HostedScript.cursors` of the next host.
  package var cursors: [String: Int] { parts.traffic.cursors }

  // MARK: - What the user and the program ask for

  /// Starts the script, and waits for its `hello`. Earlier crashes are forgotten.
  /// - Throws: `NatterError` if it could not be started, or has ended before.
  package func start() async throws {
    try await changes.run {
      policy.reset()
      try await begin()
    }
  }

  /// Ends the script: `bye`, no more input, then signals.
  package func stop() async {
    // A start that waits for its hello waits no longer.
    stops += 1
    defer { stops -= 1 }
    await session?.end(.stopped)
    await changes.run {
      await end()
      await set(.sleeping)
    }
  }

  /// Ends the script for good: what was asked for before does not start it either.
  package func retire() async {
    isRetired = true
    await stop()
  }

  /// Starts a script that sleeps, because of an event that it has in its manifest. One that failed
  /// stays so.
  /// - Parameter cursors: the last message before those that it is to be sent, by bare account;
  ///   where it was sent any before, that one counts.
  package func wake(for event: String, after cursors: [String: Int] = [:]) async {
    await changes.run {
      if session == nil { parts.traffic.begin(after: cursors) }
      await wakeUp(event)
    }
  }

  /// Ends the sessions of the bridge, and begins new ones: the open accounts have changed. A script
  /// with subscriptions is started anew, and has its cursors.
  package func accountsChanged() async {
    await changes.run {
      if let session {
        guard await session.needsAccounts else {
          await session.disconnect()
          if await !services.bridging.accounts.isEmpty { await session.connect() }
          return
        }
        await end()
        await wakeUp("accounts")
      } else if let asleep {
        let isSubscribed = !asleep.subscriptions.isEmpty
        asleep.end()
        self.asleep = nil
        if isSubscribed { await wakeUp("accounts") }
      }
    }
  }

  /// Runs a command; starts the script if it sleeps.
  /// - Throws: `NatterError`.
  package func run(_ call: ScriptCommandCall) async throws -> ScriptCommandResult {
    let parameters = JSONLine {
      $0.add("name", call.command)
      $0.add("arguments", call.arguments)
      $0.add("account", call.account?.description)
      $0.add("conversation", call.conversation?.description)
    }
    return try await ask(
      "command.run", parameters, within: ScriptLimits.command.usual,
      longer: ScriptLimits.command.withProgress)
  }

  /// Asks about something that it has on the screen, or an address; starts the script if it sleeps.
  /// - Throws: `NatterError`.
  package func ask(_ call: ScriptScreenCall) async throws -> ScriptCommandResult {
    switch call.request {
    case .key(let key, let line, let pane):
      let parameters = JSONLine {
        $0.add("id", pane)
        $0.add("key", String(key))
        $0.add("line", line)
        $0.add("account", call.account?.description)
        $0.add("conversation", call.conversation?.description)
      }
      return try await ask("pane.key", parameters, within: ScriptLimits.choice)
    case .open(let address):
      guard await mayOpen() else { throw NatterError(.refused, "error.script.addresses", title) }
      let parameters = JSONLine {
        $0.add("url", address)
        $0.add("account", call.account?.description)
        $0.add("conversation", call.conversation?.description)
      }
      return try await ask("url.open", parameters, within: ScriptLimits.choice)
    }
  }

  /// Returns whether it may open addresses; the user may be asked.
  private func mayOpen() async -> Bool {
    if services.rights.holds(.addresses) { return true }
    if case .held = await services.rights.request(.addresses) { return true }
    return false
  }

  private func ask(
    _ method: String, _ parameters: JSONLine, within limit: Duration, longer: Duration? = nil
  ) async throws -> ScriptCommandResult {
    let session = try await changes.run {
      if case .failed(let notice) = state { throw NatterError(notice) }
      try await begin()
      return self.session
    }
    guard let session else { throw NatterError(.unexpected, "error.script.gone", title) }
    parts.traffic.noteWork(at: services.clock.steady())
    do throws(ScriptCallError) {
      let answer = try await session.requests.call(
        method, parameters, within: limit, longer: longer)
      if let result = ScriptCommandResult(answer, of: parts.script.manifest) { return result }
    } catch {
      switch error {
      case .timedOut: throw NatterError(.unexpected, "error.script.timedOut", title)
      case .gone: throw NatterError(.unexpected, "error.script.gone", title)
      case .refused(let text):
        let arguments = title.merging(["text": ScriptLog.safe(text)]) { $1 }
        throw NatterError(.refused, "error.script.refused", arguments)
      }
    }
    throw NatterError(.unexpected, "error.script.answer", title)
  }

  /// Has the script decorate messages; starts it if it sleeps and is lazy. One that failed stays
  /// so.
  /// - Returns: `nil`: it was not asked.
  func decorate(_ request: DecorationRequest) async -> [Message.ID: MessageDecoration]? {
    guard let session = await changes.run({ await sessionForDecorations() }) else { return nil }
    parts.traffic.noteWork(at: services.clock.steady())
    do throws(ScriptCallError) {
      let value = try await session.requests.call(
        "decorate", JSONLine(of: request), within: ScriptLimits.decoration.answer)
      let answer = DecorationAnswer(value, to: request)
      if let complaint = answer.complaint {
        parts.log.add(complaint)
        parts.traffic.countDropped(answer.dropped)
        await services.report(.dropped(parts.traffic.dropped))
      }
      return answer.decorations
    } catch {
      // Each of them was asked about: what has no answer is not decorated.
      switch error {
      case .timedOut, .gone: break
      case .refused(let text): parts.log.add("decorate: \(text)")
      }
      return [:]
    }
  }

  private func sessionForDecorations() async -> ScriptSession? {
    guard restarting == nil, stops == 0 else { return nil }
    switch state {
    case .running: break
    case .sleeping where parts.script.manifest.start == .lazy: break
    default: return nil
    }
    await wakeUp("decorate")
    return session
  }

  // MARK: - Life

  /// Starts the program, unless it runs.
  private func begin() async throws {
    guard !isRetired else { throw NatterError(.unexpected, "error.script.gone", title) }
    if let session {
      guard await session.isEnding else { return try await greet(session) }
      await running?.value
    }
    restarting?.cancel()
    restarting = nil
    asleep?.end()
    asleep = nil
    let session = try await launch()
    self.session = session
    running = Task {
      let (ending, link) = await session.run()
      await self.finish(session, ending, link)
    }
    if stops > 0 { await session.end(.stopped) }
    // Without accounts its own storage and commands work all the same.
    if await !services.bridging.accounts.isEmpty { await session.connect() }
    try await greet(session)
  }

  private func launch() async throws -> ScriptSession {
    let (script, manifest) = (parts.script, parts.script.manifest)
    var program = ScriptProgram(
      folder: script.folder, storage: script.storage, command: manifest.run)
    program.hasNetwork = services.rights.holds(.network)
    if services.rights.holds(.readFolder) {
      program.readable = manifest.permission(.readFolder)?.paths ?? []
    }
    if let folder = script.clientFolder { program.readable.append(folder) }
    if services.rights.holds(.writeFolder) {
      program.writable = manifest.permission(.writeFolder)?.paths ?? []
    }
    program.variables = ["NATTER_SCRIPT": script.name]
    let process: any ScriptProcess
    do throws(ScriptStartError) { process = try await services.starter.start(program) } catch {
      await set(.failed(error.notice))
      throw NatterError(error.notice)
    }
    return ScriptSession(
      process, parts,
      whenWoken: { [weak self] in
        Task { [weak self] in await self?.wake(for: "subscription") }
      },
      whenHung: { [weak self] in
        Task { [weak self] in await self?.endHung() }
      })
  }

  /// Waits for `hello`.
  private func greet(_ session: ScriptSession) async throws {
    guard let isGreeted = await session.greeted.wait() else { throw CancellationError() }
    guard !isGreeted else { return await set(.running) }
    await running?.value
    throw NatterError(lastEnd ?? StatusNotice(.error, "error.script.gone", title))
  }

  private func wakeUp(_ reason: String) async {
    guard state == .sleeping || state == .running, restarting == nil else { return }
    do { try await begin() } catch {
      // The state says why.
      services.log.info("the script \(parts.script.name) was not started (\(reason)): \(error)")
    }
  }

  private func end() async {
    await session?.end(.stopped)
    await running?.value
    // After the run: one that has crashed, or fallen asleep, just before has left these.
    restarting?.cancel()
    restarting = nil
    asleep?.end()
    asleep = nil
  }

  private func endHung() async { await session?.end(.hung) }

  /// Handles the end of a run.
  private func finish(
    _ session: ScriptSession, _ ending: ScriptEnding, _ link: ScriptLink?
  ) async {
    self.session = nil
    running = nil
    let notice = ending.notice(about: parts.script.manifest.title, saying: parts.log.last)
    lastEnd = notice
    switch ending {
    case .stopped: await set(.sleeping)
    case .asleep:
      asleep = link
      await set(.sleeping)
    // It has done its work.
    case .exited(.status(0)) where session.greeted.value == true: await set(.sleeping)
    case .broken, .mute: await set(.failed(notice))
    case .exited, .hung: await crash(notice)
    }
  }

  private func crash(_ notice: StatusNotice) async {
    guard let pause = policy.crash(at: services.clock.steady()) else {
      return await set(.failed(notice))
    }
    services.log.info("the script \(parts.script.name) starts again in \(pause): \(notice.key)")
    await set(.sleeping)
    restarting = Task {
      guard await services.clock.hasPassed(pause) else { return }
      await restart()
    }
  }

  private func restart() async {
    await changes.run {
      guard restarting != nil else { return }
      restarting = nil
      await wakeUp("restart")
    }
  }

  private func set(_ state: ScriptState) async {
    guard self.state != state else { return }
    self.state = state
    await services.report(.state(state))
  }
}

extension NatterError {
  /// The error that a notice describes.
  fileprivate init(_ notice: StatusNotice) {
    self.init(.unexpected, notice.key, notice.arguments)
  }
}

extension JSONLine {
  /// The parameters of `decorate`.
  fileprivate init(of request: DecorationRequest) {
    self.init {
      $0.add("account", request.account.description)
      $0.add("conversation", request.conversation.description)
      $0.add(
        "messages",
        request.messages.map { message in
          JSONLine {
            $0.add("id", String(message.id.rawValue))
            $0.add("body", message.body)
          }
        })
    }
  }
}

extension ScriptCommandResult {
  /// The most bytes of a note.
  private static let noteLimit = 4096

  /// Reads the answer of a script; `nil` if it is none of those that a command can have.
  init?(_ answer: JSONValue, of manifest: ScriptManifest) {
    if let pane = answer["pane"] {
      guard let id = pane.string, manifest.panes.contains(id) else { return nil }
      self = .pane(id)
    } else if let text = answer["insert"] {
      guard let text = text.string, text.utf8.count <= BridgeLimits.body else { return nil }
      self = .insert(text)
    } else if let text = answer["note"] {
      guard let text = text.string else { return nil }
      self = .note(text.beginning(bytes: Self.noteLimit))
    } else {
      self = .nothing
    }
  }
}

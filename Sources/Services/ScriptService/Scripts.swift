import Diagnostics
import FoundationEssentials
import NatterCore
import System

/// The scripts of the profile: which there are, which are enabled, and what they may do. It lives
/// as long as the program.
package actor Scripts: ScriptManaging, ScriptSettingChanging {
  /// Blocks while folders and files are read: no other task must wait for that.
  private let executor = QueueExecutor(label: "natter.scripts")
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  let setup: ScriptsSetup
  nonisolated let board: ScriptBoard
  nonisolated let asking: ScriptQuestions
  private let file: GrantFile
  private let declined: DeclinedRights
  /// Brings a script into the state that it is to have; one lane for each.
  let inbox = SerialInbox<String>()

  /// The content of `grants.toml`; empty if it is not valid.
  private(set) var grants = ScriptGrants()
  var readings = ScriptReadings()
  /// The rights that were taken back, and of which that is not stored.
  private var withheld: [String: Set<ScriptRight>] = [:]
  /// The scripts that are enabled and not changed, by name.
  var managed: [String: ManagedScript] = [:]
  var lastNumber = 0
  /// Why no script is started; `nil`: it was not asked yet, or they are.
  private(set) var refusal: StatusNotice?
  private var permission: Task<StatusNotice?, Never>?
  private var launcher: Task<any ScriptStarting, Never>?
  private var watch: ScriptWatch?
  private var watching: Task<Void, Never>?
  private var reloads: [String: Task<Void, Never>] = [:]
  let accounts: ScriptAccounts
  private var phase = Phase.new

  private enum Phase { case new, begun, ended }

  var hasBegun: Bool { phase != .new }
  var hasEnded: Bool { phase == .ended }

  /// The time without a further change after which a script is started anew.
  static let settlingTime = Duration.milliseconds(300)

  package init(_ setup: ScriptsSetup) {
    self.setup = setup
    board = ScriptBoard(clock: setup.clock)
    let changed = board.changes
    asking = ScriptQuestions(sleep: setup.clock.sleep) { changed.send(.questions) }
    file = GrantFile(setup.folders.grants)
    declined = DeclinedRights(setup.folders.state + "/declined")
    accounts = ScriptAccounts(setup.bridging)
  }

  // MARK: - Life

  /// Reads grants and scripts, and starts those that are to run.
  package func begin() async {
    guard phase == .new else { return }
    phase = .begun
    watch = ScriptWatch(setup.folders)
    if let watch {
      watch.follow([:])
      let signals = watch.signals
      watching = Task { [weak self] in
        for await _ in signals { await self?.take(watch.takeChanges()) }
      }
    } else {
      setup.log.warning("changes of scripts are not seen: no watches are left")
    }
    applyGrants()
    await settleAll()
  }

  /// Ends all scripts in order.
  package func end() async {
    phase = .ended
    watching?.cancel()
    accounts.end()
    for reload in reloads.values { reload.cancel() }
    let hosts = managed.values.map(\.host)
    for name in managed.keys { await asking.cancel(name) }
    managed = [:]
    await withDiscardingTaskGroup { group in
      for host in hosts { group.addTask { await host.retire() } }
    }
  }

  private func take(_ changes: Set<ScriptWatch.Change>) async {
    for case .script(let name) in changes {
      reloads[name]?.cancel()
      reloads[name] = Task { [weak self, sleep = setup.clock.sleep] in
        // Cancelled: there was a further change.
        do { try await sleep(Self.settlingTime) } catch { return }
        await self?.reload(name)
      }
    }
    guard changes.contains(.grants) || changes.contains(.list) else { return }
    // First: what is watched from now on is read after it.
    watchFolders()
    applyGrants()
    await settleAll()
  }

  // MARK: - Grants

  /// Reads `grants.toml`, and applies it to the rights of running scripts at once.
  func applyGrants() {
    do {
      grants = try file.read()
      _ = readings.take(nil)
      for name in readings.takeRestarts(grants) { restartSoon(name) }
    } catch {
      grants = ScriptGrants()
      if let notice = readings.take(error) { changed.send(.notice(notice)) }
    }
    grants.withhold(withheld)
    // Nothing is awaited between reading and this: an older content never follows a newer one.
    for (name, script) in managed {
      script.rights.ledger.update(script.hosted.manifest, grants.entries[name] ?? .init())
      script.checkScreen(board)
    }
    changed.send(.list)
  }

  /// Changes what is stored about a script.
  /// - Throws: `NatterError`; nothing is changed then.
  func change(_ script: String, _ body: (inout ScriptGrants.Entry) -> Void) async throws {
    do {
      try await file.change { grants in body(&grants.entries[script, default: .init()]) }
    } catch {
      throw NatterError(reporting: error, orElse: .storage, key: "error.unexpected")
    }
    applyGrants()
  }

  func keep(_ grant: ScriptGrant, of script: String) async throws {
    let given = setup.clock.now()
    withheld[script]?.remove(grant.right)
    try await change(script) { $0.add(ScriptGrants.StoredGrant(grant, given: given)) }
    declined.forget(script, grant.right, setup.log)
  }

  func refuse(_ right: ScriptRight, of script: String) async throws {
    try await change(script) { entry in
      if !entry.never.contains(right) { entry.never.append(right) }
    }
    declined.forget(script, right, setup.log)
  }

  /// The user has declined a right in this run; in enough runs it is not asked for again.
  func decline(_ right: ScriptRight, of script: String) async {
    do {
      guard try declined.note(right, of: script) >= DeclinedRights.limit else { return }
      try await refuse(right, of: script)
    } catch {
      // Then the user is asked once more in a later run.
      setup.log.warning("a declined right could not be stored: \(error)")
    }
  }

  // MARK: - ScriptManaging

  nonisolated var changed: ScriptChanges { board.changes }
  nonisolated package var questions: any ScriptAsking { asking }
  nonisolated package func changes() -> AsyncStream<ScriptChange> { changed.follow() }

  package func scripts() async -> [ScriptSummary]? {
    guard hasBegun else { return nil }
    let all = readAll()
    guard !all.isEmpty else { return [] }
    let confinement = await starter().confinement
    var summaries: [ScriptSummary] = []
    for found in all {
      let isAsking = await asking.isAsking(found.name)
      let entry = grants.entries[found.name] ?? .init()
      var summary = ScriptSummary(
        name: found.name, state: state(of: found, isAsking: isAsking), manifest: found.manifest)
      if summary.state == .off, entry.isEnabled { summary.refusal = refusal }
      summary.isShipped = found.isShipped
      (summary.confinement, summary.settings) = (confinement, entry.settings)
      summary.never = entry.never
      if let script = managed[found.name] {
        script.describe(&summary)
        summary.grants = script.rights.ledger.uses
        summary.refused = script.rights.ledger.refused
      } else if let manifest = found.manifest {
        summary.grants = RightsLedger(manifest, entry).uses
      }
      summaries.append(summary)
    }
    return summaries
  }

  private func state(of found: FoundScript, isAsking: Bool) -> ScriptState {
    switch found.reading {
    case .bad(let line, let notice): return .bad(line: line, notice)
    case .unsafe(let path): return .unsafe(path: path)
    case .good(_, let digest):
      guard let entry = grants.entries[found.name], entry.isEnabled else { return .off }
      guard entry.digest == digest else { return .changed }
      if refusal != nil { return .off }
      return isAsking ? .asking : managed[found.name]?.state ?? .sleeping
    }
  }

  package func setEnabled(_ isEnabled: Bool, _ script: String) async throws {
    guard isEnabled else {
      try await change(script) { $0.isEnabled = false }
      return await settle(script)
    }
    let found = found(script)
    guard let digest = found?.digest else { throw whyNot(script, found) }
    try await change(script) { ($0.isEnabled, $0.digest) = (true, digest) }
    declined.forget(script, nil, setup.log)
    withheld[script] = nil
    managed[script]?.rights.ledger.forget()
    managed[script]?.rights.consents.forget()
    await settle(script)
  }

  package func restart(_ script: String) async throws {
    await settle(script)
    try await inbox.run(in: script) {
      guard let running = managed[script] else { throw whyNot(script, found(script)) }
      managed[script]?.isReloading = true
      defer { managed[script]?.isReloading = false }
      await stop(script, running.host)
      renewDecorations(script)
      try await managed[script]?.host.start()
    }
  }

  package func revoke(_ right: ScriptRight?, of script: String) async throws {
    let ledger = managed[script]?.rights.ledger
    let needsProcess = ScriptRight.all.contains {
      $0.belongsToProcess && (right == nil || right == $0) && ledger?.holds($0) == true
    }
    // At once: not only when it is stored.
    ledger?.revoke(right)
    managed[script]?.checkScreen(board)
    if needsProcess { soon { await $0.reload(script) } }
    let stored = grants.entries[script]?.grants.map(\.grant.right) ?? []
    let taken = Set(stored.filter { right == nil || right == $0 })
    let isRefused = right.map { grants.entries[script]?.never.contains($0) == true } ?? false
    guard !taken.isEmpty || isRefused else { return changed.send(.list) }
    // The file has them until it is written, or for longer if it cannot be.
    withheld[script, default: []].formUnion(taken)
    try await change(script) { entry in
      for right in taken.union([right].compactMap(\.self)) { entry.remove(right) }
    }
    withheld[script]?.subtract(taken)
  }

  package func log(of script: String) async -> [String] {
    let lines = await managed[script]?.host.logLines() ?? []
    return lines.isEmpty ? ScriptLog.stored(of: script, in: setup.folders, setup.log) : lines
  }

  package func run(_ call: ScriptCommandCall) async throws -> ScriptCommandResult {
    try await host(of: call.script).run(call)
  }

  /// Returns what runs a script, for something that the user wants of it.
  func host(of script: String) async throws -> any ScriptHosting {
    // It may be about to begin.
    if managed[script] == nil { await settle(script) }
    guard let running = managed[script] else { throw whyNot(script, found(script)) }
    return running.host
  }

  package func setSetting(_ name: String, to value: String?, of script: String) async throws {
    try await change(script) { $0.settings[name] = value }
    await settle(script)
  }

  // MARK: - Answers

  /// Returns the scripts in the folders. Where the user's cannot be read, that is reported once.
  func readAll() -> [FoundScript] {
    if let problem = readings.take(folder: setup.problem()) { changed.send(.notice(problem)) }
    return setup.read()
  }

  /// Returns the script of a name as its files describe it now.
  func found(_ name: String) -> FoundScript? { setup.found(name) }

  /// Returns why a script does not run, with what its files say.
  private func whyNot(_ script: String, _ found: FoundScript?) -> NatterError {
    ScriptRefusal(script: script, general: refusal).error(
      in: found.map { state(of: $0, isAsking: false) })
  }

  // MARK: - Parts

  /// Indicates whether scripts may run; asks the program before the first one.
  func isPermitted() async -> Bool {
    let isFirst = permission == nil
    let permission = permission ?? Task { [permit = setup.permit] in await permit() }
    self.permission = permission
    let refusal = await permission.value
    if isFirst, let refusal { changed.send(.notice(refusal)) }
    self.refusal = refusal
    return refusal == nil
  }

  /// Returns what starts programs.
  func starter() async -> any ScriptStarting {
    let task = launcher ?? Task { [starter = setup.starter] in await starter() }
    launcher = task
    return await task.value
  }

  /// Watches the folders of scripts.
  func watchFolders() {
    watch?.follow(readings.watched(managed, grants, in: setup.folders.user))
  }
}

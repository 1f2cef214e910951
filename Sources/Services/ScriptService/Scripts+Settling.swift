import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

// Brings scripts into the state that files and grants ask for.
extension Scripts {
  /// Brings all scripts into the state that they are to have.
  func settleAll() async {
    // Without an enabled script no manifest is read.
    let names = Set(grants.entries.filter(\.value.isEnabled).keys).union(managed.keys)
    let all = names.isEmpty ? [] : readAll()
    let found = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    await withDiscardingTaskGroup { group in
      for name in names { group.addTask { await self.settle(name, as: found[name]) } }
    }
  }

  /// Brings a script into the state that it is to have.
  func settle(_ name: String) async { await settle(name, as: found(name)) }

  /// Starts a script anew whose files have changed, if it is running; the last message of each
  /// account that it was sent stays known. One whose files were corrected is taken up.
  func reload(_ name: String) async { await settle(name, as: found(name), renews: true) }

  private func settle(
    _ name: String, as found: FoundScript?, renews: Bool = false
  ) async {
    guard hasBegun else { return }
    readings.take(found, of: name)
    await inbox.run(in: name) {
      let wanted = await wanted(found)
      let starter = wanted == nil ? nil : await starter()
      guard let script = managed[name] else {
        if let wanted, let starter, !hasEnded { add(wanted, starter) }
        return
      }
      guard let wanted else { return await remove(script, now: found) }
      script.rights.ledger.update(wanted.manifest, grants.entries[name] ?? .init())
      if renews || !wanted.isSame(as: script.hosted) { await renew(name, wanted) }
    }
    didSettle()
  }

  /// Restarts a script for a command of the shell, without waiting: it may not answer for long.
  func restartSoon(_ name: String) {
    Task { [weak self] in
      do { try await self?.restart(name) } catch {
        // Its state says why. One that is not enabled has nothing to restart.
        self?.setup.log.warning("the script \(name) was not restarted: \(error)")
      }
    }
  }

  /// Does something without waiting for it.
  func soon(_ work: @escaping @Sendable (Scripts) async -> Void) {
    Task { [weak self] in if let self { await work(self) } }
  }

  private func didSettle() {
    guard !hasEnded else { return }
    watchFolders()
    let woken = managed.values.map(\.hosted.manifest).filter { $0.start == .lazy }.flatMap(\.events)
    accounts.follow(
      !managed.isEmpty, events: Set(woken),
      onChange: { [weak self] in await self?.accountsChanged() },
      onEvent: { [weak self] in await self?.wake(for: $0) })
    changed.send(.list)
    if !managed.isEmpty { soon { await $0.logIn() } }
  }

  // MARK: - Hosts

  /// Returns the script as it is to be hosted; `nil`: it is not to run.
  private func wanted(_ found: FoundScript?) async -> HostedScript? {
    guard let found, case .good(let manifest, let digest) = found.reading else { return nil }
    func entry() -> ScriptGrants.Entry? {
      guard let entry = grants.entries[found.name], entry.isEnabled, entry.digest == digest else {
        return nil
      }
      return entry
    }
    guard entry() != nil, await isPermitted(), !hasEnded, let entry = entry() else { return nil }
    return HostedScript(found, manifest, entry, in: setup.folders)
  }

  private func add(_ hosted: HostedScript, _ starter: any ScriptStarting) {
    let name = hosted.name
    var actions = ScriptRightsActions()
    actions.keep = { [weak self] in try await self?.keep($0, of: name) }
    actions.refuse = { [weak self] in try await self?.refuse($0, of: name) }
    actions.decline = { [weak self] in await self?.decline($0, of: name) }
    actions.report = { [changed] in changed.send(.notice(StatusNotice(notAsked: $0, of: name))) }
    // Not awaited: the script may wait for the caller.
    actions.restart = { [weak self] in await self?.soon { await $0.reload(name) } }
    let rights = ScriptRights(
      name, hosted.manifest, grants.entries[name] ?? .init(), mayAsk: setup.mayAsk,
      questions: asking, actions: actions)
    lastNumber += 1
    let host = host(of: hosted, rights, lastNumber, starter)
    managed[name] = ManagedScript(rights: rights, host: host, hosted: hosted, number: lastNumber)
    renewDecorations(name)
  }

  private func host(
    of hosted: HostedScript, _ rights: ScriptRights, _ number: Int, _ starter: any ScriptStarting
  ) -> any ScriptHosting {
    let name = hosted.name
    var services = ScriptHostServices(
      starter: starter, bridging: setup.bridging, rights: rights.forHost,
      about: setup.about,
      report: { [weak self] in await self?.take($0, from: name, number) }, clock: setup.clock,
      log: setup.log)
    services.texts = setup.texts
    return setup.makeHost(hosted, services)
  }

  /// - Parameter found: the script as its files describe it now.
  private func remove(_ script: ManagedScript, now found: FoundScript?) async {
    let name = script.hosted.name
    // From here on nothing starts it.
    managed[name] = nil
    script.decorations?.end()
    await stop(name, script.host, isLast: true)
    // It is ended because of its files, and not by the user: they learn it.
    guard !hasEnded, grants.entries[name]?.isEnabled == true, refusal == nil else { return }
    changed.send(.notice(StatusNotice(endOf: name, found)))
  }

  /// Ends a program, and with it what it has asked the user, and what it has on the screen.
  /// - Parameter isLast: its host is not used any more.
  func stop(_ name: String, _ host: any ScriptHosting, isLast: Bool = false) async {
    managed[name]?.endDecorations()
    await asking.cancel(name)
    if isLast { await host.retire() } else { await host.stop() }
    board.clear(name)
    await asking.cancel(name)
    if managed[name]?.isReloading == false { renewDecorations(name) }
  }

  /// Ends a script, and starts it if it was running or has failed; by another host where anything
  /// but its program has changed.
  private func renew(_ name: String, _ wanted: HostedScript) async {
    guard let script = managed[name] else { return }
    var hasFailed = false
    if case .failed = script.state { hasFailed = true }
    managed[name]?.isReloading = true
    defer { managed[name]?.isReloading = false }
    let isSame = wanted.isSame(as: script.hosted)
    var starts = script.isRunning || hasFailed
    if !isSame {
      await stop(name, script.host, isLast: true)
    } else if starts {
      await stop(name, script.host)
    }
    if !isSame {
      var hosted = wanted
      hosted.cursors = await script.host.cursors
      // It sleeps with subscriptions, which the next host does not know.
      if !hosted.cursors.isEmpty { starts = true }
      let starter = await starter()
      lastNumber += 1
      managed[name]?.number = lastNumber
      managed[name]?.hosted = hosted
      managed[name]?.beginCounts()
      managed[name]?.host = host(of: hosted, script.rights, lastNumber, starter)
      managed[name]?.state = .sleeping
    }
    renewDecorations(name)
    if starts, !hasEnded { await start(name) }
  }

  private func start(_ name: String) async {
    do { try await managed[name]?.host.start() } catch {
      // Its state says why.
      setup.log.warning("the script \(name) was not started: \(error)")
    }
  }

  // MARK: - Reports

  private func take(_ event: ScriptHostEvent, from name: String, _ number: Int) async {
    guard let script = managed[name], script.number == number else { return }
    switch event {
    case .state(let state):
      guard state != script.state else { return }
      managed[name]?.enter(state, setup.clock, changed)
      if managed[name]?.isRunning == false {
        managed[name]?.use(memory: nil, processor: nil)
        script.rights.ledger.dropSingle(hasNext: script.isReloading)
        await asking.cancel(name)
      }
      if case .failed(let notice) = state { changed.send(.notice(notice)) }
      changed.send(.list)
    case .toast(let text):
      changed.send(.toast(title: script.hosted.manifest.title, text: text))
    // No news: the page reads it while it is shown.
    case .usage, .requests, .dropped: managed[name]?.note(event)
    case .status, .pane, .ended: board.take(event, from: name, script.rights.ledger)
    }
  }

  // MARK: - Accounts

  private func accountsChanged() async {
    // Read first: what is opened in between is another change.
    let openings = await setup.bridging.openings
    let open = await setup.bridging.accounts
    if accounts.areOthers(open, openings) {
      let names = Array(managed.keys)
      await withDiscardingTaskGroup { group in
        for name in names {
          group.addTask {
            await self.inbox.run(in: name) { await self.use(isOpen: !open.isEmpty, name) }
          }
        }
      }
    }
    await logIn()
  }

  /// Has a script work with other accounts. Without any it is ended: another process may have them,
  /// and runs it.
  private func use(isOpen: Bool, _ name: String) async {
    guard let script = managed[name] else { return }
    if !isOpen {
      let isActive = if script.isRunning { true } else { await !script.host.cursors.isEmpty }
      await stop(name, script.host)
      managed[name]?.isPaused = isActive && script.hosted.manifest.start != .login
      managed[name]?.hasLoggedIn = false
    } else if script.isPaused {
      managed[name]?.isPaused = false
      await start(name)
    } else {
      await script.host.accountsChanged()
    }
  }

  /// Starts the scripts that are to run while an account is online.
  private func logIn() async {
    func waiting() -> [String] {
      managed.filter { $0.value.hosted.manifest.start == .login && !$0.value.hasLoggedIn }.map(
        \.key)
    }
    guard !waiting().isEmpty, await setup.bridging.isOnline else { return }
    let names = waiting()
    for name in names { managed[name]?.hasLoggedIn = true }
    await withDiscardingTaskGroup { group in
      for name in names {
        group.addTask { await self.inbox.run(in: name) { await self.start(name) } }
      }
    }
  }

  private func wake(for event: ScriptWake) {
    for name in managed.keys where managed[name]?.isWoken(by: event, setup.mayAsk) == true {
      // Others cause events: one that ends by itself is not started for each of them.
      let pause = managed[name]?.wakes.take(at: setup.clock.steady())
      Task { [weak self, sleep = setup.clock.sleep] in
        if let pause { try? await sleep(pause) }
        await self?.wakeNow(name, event.name)
      }
    }
  }

  private func wakeNow(_ name: String, _ event: String) async {
    if let script = managed[name] { await script.host.wake(for: event, after: script.before) }
    managed[name]?.endWaking()
  }
}

extension HostedScript {
  /// Indicates whether the same host can run both.
  fileprivate func isSame(as other: HostedScript) -> Bool {
    folder == other.folder && manifest == other.manifest && settings == other.settings
      && sendingPerHour == other.sendingPerHour
  }
}

extension Scripts: ScriptDisplaying {
  nonisolated package func statusItems() -> [ScriptStatusItem] { board.statusItems }
  nonisolated package func pane(_ id: String, of script: String) -> ScriptPane? {
    board.pane(id, of: script)
  }

  package func ask(_ call: ScriptScreenCall) async throws -> ScriptCommandResult {
    try await host(of: call.script).ask(call)
  }
}

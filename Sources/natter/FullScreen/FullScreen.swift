import Configuration
import ConnectionService
import Diagnostics
import Foundation
import NatterCore
import Panes
import SessionService
import Storage
import Terminal
import TerminalNcurses
import ViewModels
import XMPP

/// The full screen: start-up (FLOWS.md 1), the shell of one account, and what ends it.
final class FullScreen {
  private let context: LaunchContext
  private let terminal: TerminalSession
  private let scheduler = Scheduler.timers
  private let glyphs: Glyphs
  private let bindings = KeyBindingTable.natter
  private var themes: ThemeChoice
  private var coordinator: AppCoordinator?
  private var accountScreen: AccountScreen?
  private var welcome: (model: WelcomeViewModel, pane: FormPane)?
  private var alert: (model: AlertViewModel, pane: DialogPane, countdown: Task<Void, Never>)?
  /// What was typed before anything could take it; `nil` once something does.
  private var earlyInput: [InputEvent]? = []
  /// Whether the person still waits for the first connection of this account.
  private var awaitsConnection = false
  private var isAskingToLeave = false
  private let (endings, end) = AsyncStream<Ending>.makeStream(bufferingPolicy: .bufferingOldest(1))
  private var works: [Task<Void, Never>] = []

  /// How the program ends.
  private enum Ending: Sendable {
    case quit
    /// The person knows that what was typed cannot be saved.
    case quitUnsaved
    case signal(Int32)
  }

  private var localizer: Localizer { context.localizer }

  /// Takes over the terminal.
  /// - Throws: `CommandFailure` when there is none that can be used.
  init(context: LaunchContext) throws {
    self.context = context
    let settings = context.settings
    themes = ThemeChoice(
      library: .standard(paths: context.paths, resources: context.resources),
      wanted: context.options.theme ?? settings.ui.theme, night: settings.ui.themeNight,
      day: settings.ui.themeDay)
    guard themes.isFound else {
      throw CommandFailure(
        code: .badConfiguration,
        text: context.localizer("cli.no-theme", ["name": themes.current]))
    }
    glyphs = context.usesUnicodeGlyphs ? .unicode : .ascii
    terminal = try TerminalSession(
      theme: themes.theme, usesMouse: settings.ui.usesMouse, environment: context.environment,
      localizer: context.localizer)
  }

  /// Runs until the person quits or the terminal goes.
  /// - Returns: the exit code: 0, or 128 and the signal's number.
  func run() async -> Int32 {
    let coordinator = AppCoordinator(
      screen: terminal.screen, bindings: bindings, localizer: localizer, glyphs: glyphs,
      scheduler: scheduler, actions: actions)
    self.coordinator = coordinator
    terminal.start(
      onInput: { [weak self] in self?.receive($0) },
      onResize: { [weak self] in self?.coordinator?.screenDidResize() },
      onSignal: { [weak self] in self?.end.yield(.signal($0)) })
    scheduleMinute()
    begin {
      await self.start()
      // The shell lets the input in by itself. A question must not be answered by what was typed before it was asked.
      if self.accountScreen == nil { self.letInputIn(replaying: self.welcome != nil) }
    }
    var code: Int32 = 0
    for await ending in endings {
      switch ending {
      case .signal(let number): code = 128 + number
      case .quit:
        guard await accountScreen?.shell.saveDrafts() ?? true else {
          askToLeave()
          continue
        }
      case .quitUnsaved: break
      }
      break
    }
    await shutDown()
    return code
  }

  /// Keeps what is typed ahead until there is something that takes it: the first letters of a command that got lost
  /// would turn the rest of it into a message.
  private func receive(_ event: InputEvent) {
    let isWayOut = event == .hangup || event == .key(.control("q")) || event == .key(.control("c"))
    if earlyInput != nil, !isWayOut {
      earlyInput?.append(event)
    } else {
      coordinator?.handle(event)
    }
  }

  private func letInputIn(replaying: Bool) {
    guard let events = earlyInput else { return }
    earlyInput = nil
    if replaying { for event in events { coordinator?.handle(event) } }
  }

  /// What is typed and queued is in the database before the terminal is given back.
  private func shutDown() async {
    await accountScreen?.close()
    for work in works { work.cancel() }
    alert?.countdown.cancel()
    terminal.stop()
  }

  // MARK: - Start-up (FLOWS.md 1)

  private func start() async {
    do {
      if context.options.isLocal {
        try await openLocal()
        return
      }
      let account = try await context.choice.account()
      if let account, let given = try context.choice.givenCredential(allowsStandardInput: false) {
        await context.credentials.keep(given, for: account.jid)
      }
      var hasCredential = false
      if let account {
        hasCredential = try await context.credentials.credential(for: account.jid) != nil
      }
      let facts = StartupFacts(
        account: account, isNamed: context.options.account != nil, hasCredential: hasCredential,
        guideWasSeen: context.guideWasSeen)
      switch facts.step {
      case .shell(let account): await open(account)
      case .guide: showWelcome(.guide, account: nil)
      case .signIn(let account): showWelcome(.signIn, account: account)
      }
    } catch {
      showFailure(error)
    }
  }

  private func openLocal() async throws {
    let local = LocalAccounts(context: context)
    let account = try await local.account(
      named: context.options.account ?? LocalAccounts.defaultName,
      isFresh: context.options.isFresh)
    context.rememberGuideWasSeen()
    await open(account)
  }

  /// Opens the shell on what the database holds; the connection follows by itself.
  private func open(_ account: Account) async {
    let database: AccountDatabase
    do { database = try await context.openDatabase(of: account.jid) } catch {
      if case StorageError.locked(let holder?) = error {
        offerTakeOver(of: account, from: holder)
      } else if let error = error as? StorageError {
        showFailure(error, of: account)
      } else {
        showFailure(error)
      }
      return
    }
    do {
      let hub = EventHub()
      let services = try context.services(
        for: account, database: database, credentials: context.credentials, hub: hub)
      let shell = ShellViewModel(
        ports: ShellViewModel.Ports(services),
        format: ItemFormat(
          localizer: localizer, glyphs: glyphs, account: account.jid,
          usesTwelveHours: context.usesTwelveHours),
        scheduler: scheduler, actions: actions,
        bell: ShellViewModel.BellRule(rawValue: context.settings.notify.bell.rawValue) ?? .mention)
      shell.onLoaded = { [weak self] in self?.letInputIn(replaying: true) }
      let chats = ChatsScreen(shell: shell, bindings: bindings)
      awaitsConnection = true
      if let welcome { coordinator?.remove(welcome.pane) }
      welcome = nil
      accountScreen = AccountScreen(services: services, shell: shell, chats: chats) {
        [weak self] in self?.follow($0)
      }
      coordinator?.display.hurriedFrames = 4
      coordinator?.show(chats)
      for warning in context.warnings {
        hub.publish(.notice(Notice(.warning, "status.configuration", ["problem": warning])))
      }
    } catch {
      await database.close()
      showFailure(error)
    }
  }

  // MARK: - Sign-in

  private func showWelcome(_ step: WelcomeViewModel.Step, account: Account?) {
    if let welcome {
      coordinator?.remove(welcome.pane)
      self.welcome = nil
    }
    let invalidation = Invalidation()
    let resolveFile: (String) -> String? = { text in
      let path = (text as NSString).expandingTildeInPath
      return FileManager.default.isReadableFile(atPath: path) ? path : nil
    }
    let signing = SessionSigning(
      over: context.signIn, sessions: context.credentials)
    let model = WelcomeViewModel(
      step: step,
      guide: OnboardingViewModel(
        localizer: localizer,
        practices: WelcomePane.practices(
          bindings: bindings, localizer: localizer),
        themes: [], dataDirectory: context.paths.data.path, offersLocal: true,
        isReview: accountScreen != nil,
        invalidation: invalidation),
      signIn: SignInViewModel(
        signing: signing, localizer: localizer, account: account, resolveFile: resolveFile,
        invalidation: invalidation),
      register: RegisterViewModel(
        signing: signing, localizer: localizer, account: account, resolveFile: resolveFile,
        invalidation: invalidation),
      invalidation: invalidation)
    model.onSignedIn = { [weak self] account in self?.begin { await self?.switchTo(account) } }
    model.onLocal = { [weak self] in
      self?.begin {
        do { try await self?.openLocal() } catch { self?.showFailure(error) }
      }
    }
    model.onGuideSeen = { [weak self] in self?.context.rememberGuideWasSeen() }
    model.onCancel = { [weak self] in self?.leaveWelcome() }
    let pane = WelcomePane.make(viewModel: model, glyphs: glyphs, localizer: localizer)
    welcome = (model, pane)
    coordinator?.present(pane)
  }

  /// Esc in the form: back to the shell, where there is one.
  private func leaveWelcome() {
    guard accountScreen != nil, let welcome else { return }
    coordinator?.remove(welcome.pane)
    self.welcome = nil
  }

  private func switchTo(_ account: Account) async {
    await accountScreen?.close()
    accountScreen = nil
    coordinator?.show(nil)
    await open(account)
  }

  private func signOut() async {
    guard let account = accountScreen?.services.account else { return }
    await accountScreen?.close()
    accountScreen = nil
    do { try await context.credentials.removeCredential(for: account.jid) } catch {
      context.log.error("removing a credential failed: \(error)")
    }
    coordinator?.show(nil)
    showWelcome(.signIn, account: account)
  }

  // MARK: - News that concern more than the shell

  private func follow(_ event: DomainEvent) {
    switch event {
    case .connectionChanged(let state): connectionChanged(to: state)
    case .credentialRefused(let problem):
      hideAlert()
      showWelcome(.signIn, account: accountScreen?.services.account)
      welcome?.model.showSignIn(because: problem)
    default: break
    }
  }

  /// The alert is shown only to somebody who waits: after opening an account, until it was once online.
  private func connectionChanged(to state: ConnectionState) {
    if let alert, !alert.model.connectionChanged(to: state) { hideAlert() }
    switch state {
    case .online: awaitsConnection = false
    case .waiting, .refused:
      // Not over something that is being read: the state is in the tab bar, and the next attempt tells again.
      guard awaitsConnection, alert == nil, welcome == nil,
        coordinator?.openOverlays.isEmpty == true
      else { return }
      if case .refused(let problem) = state, problem.asksForCredentials { return }
      awaitsConnection = false
      showAlert(state)
    case .offline, .connecting: break
    }
  }

  private func showAlert(_ state: ConnectionState) {
    guard let services = accountScreen?.services else { return }
    let model = AlertViewModel(
      state: state, account: services.account.jid.description, localizer: localizer
    ) { [weak self] choice in
      self?.hideAlert()
      switch choice {
      case .tryNow: self?.begin { await services.connection.connectNow() }
      case .workOffline: self?.begin { await services.connection.goOffline() }
      case .signIn: self?.showWelcome(.signIn, account: services.account)
      case .hide: break
      }
    }
    let pane = DialogPane(viewModel: model.dialog, glyphs: glyphs, localizer: localizer)
    alert = (model, pane, Task { await model.run() })
    coordinator?.present(pane)
  }

  private func hideAlert() {
    guard let alert else { return }
    alert.countdown.cancel()
    coordinator?.remove(alert.pane)
    self.alert = nil
  }

  // MARK: - Failures before there is a shell

  private func showFailure(_ error: any Error) {
    context.log.error("start-up: \(error)")
    let notice = LaunchFailure.notice(error, localizer: localizer)
    var pane: DialogPane?
    let close: () -> Void = { [weak self] in
      if let pane { self?.coordinator?.remove(pane) }
    }
    let model = DialogViewModel(
      Dialog(
        title: localizer("startup.title"), level: .error,
        lines: notice.map { .text($0) },
        buttons: [
          .init("signIn", localizer("startup.sign-in")), .init("quit", localizer("startup.quit")),
        ], safe: "quit"),
      onPress: { [weak self] button in
        close()
        if button == "signIn" {
          self?.showWelcome(.signIn, account: nil)
        } else {
          self?.end.yield(.quit)
        }
      },
      onCancel: { [weak self] in self?.end.yield(.quit) })
    let dialog = DialogPane(
      viewModel: model, glyphs: glyphs, localizer: localizer, hidesOthers: true)
    pane = dialog
    coordinator?.present(dialog)
  }

  /// The account's database cannot be opened: try again, put it aside where it is damaged, or quit.
  private func showFailure(_ error: StorageError, of account: Account) {
    context.log.error("start-up: \(error)")
    var pane: DialogPane?
    let model = StartupDialog.viewModel(for: error.natterError, localizer: localizer) {
      [weak self] choice in
      guard let self else { return }
      if choice != .quit, let pane { coordinator?.remove(pane) }
      switch choice {
      case .quit: end.yield(.quit)
      case .retry: begin { await self.open(account) }
      case .setAside: begin { await self.setAside(of: account) }
      // A holder that can be named is asked by `offerTakeOver`.
      case .takeOver: break
      }
    }
    let dialog = DialogPane(
      viewModel: model, glyphs: glyphs, localizer: localizer, hidesOthers: true)
    pane = dialog
    coordinator?.present(dialog)
  }

  private func setAside(of account: Account) async {
    do { try context.setDatabaseAside(of: account.jid) } catch {
      if let error = error as? StorageError {
        showFailure(error, of: account)
      } else {
        showFailure(error)
      }
      return
    }
    await open(account)
  }

  /// Another Natter has this account: it can be asked to leave, which it does with everything saved.
  private func offerTakeOver(of account: Account, from holder: Int32) {
    var pane: DialogPane?
    let model = DialogViewModel.confirmation(
      title: localizer("startup.inUseTitle"),
      text: [
        localizer(
          "startup.inUse", ["account": account.jid.description, "pid": String(holder)])
      ], yes: localizer("startup.takeOver"), no: localizer("startup.quit"),
      onYes: { [weak self] in
        if let pane { self?.coordinator?.remove(pane) }
        self?.begin { await self?.takeOver(account, from: holder) }
      },
      onNo: { [weak self] in self?.end.yield(.quit) })
    let dialog = DialogPane(
      viewModel: model, glyphs: glyphs, localizer: localizer, hidesOthers: true)
    pane = dialog
    coordinator?.present(dialog)
  }

  private func takeOver(_ account: Account, from holder: Int32) async {
    // SIGTERM: it saves what was being typed, closes its database and gives its terminal back.
    kill(holder, SIGTERM)
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline, kill(holder, 0) == 0 {
      // The lock tells nobody when it is free, so this asks again and again, for a moment only.
      do { try await Task.sleep(for: .milliseconds(50)) } catch { return }
    }
    await open(account)
  }

  // MARK: - What the shell may ask for

  private var actions: ShellActions {
    ShellActions(
      redraw: { [weak self] in self?.redraw() },
      suspend: { [weak self] in
        self?.terminal.suspend()
        self?.redraw()
      },
      quit: { [weak self] in self?.end.yield(.quit) },
      toggleTheme: { [weak self] in
        self?.themes.toggle()
        self?.useTheme()
      },
      setTheme: { [weak self] name in
        guard self?.themes.choose(name) == true else { return false }
        self?.useTheme()
        return true
      },
      themeNames: { [weak self] in self?.themes.library.names ?? [] },
      showHelp: { [weak self] in self?.showHelp($0) },
      signIn: { [weak self] in
        self?.showWelcome(.signIn, account: self?.accountScreen?.services.account)
      },
      signOut: { [weak self] in self?.begin { await self?.signOut() } },
      confirm: { [weak self] in self?.confirm($0) },
      showForm: { [weak self] in self?.present($0) ?? {} },
      setMouse: { [weak self] in self?.terminal.setMouse($0) },
      parseAddress: { JID(userInput: $0) })
  }

  private func useTheme() {
    terminal.use(themes.theme)
    coordinator?.display.drawAll()
    coordinator?.display.drawFrame()
  }

  private func redraw() {
    terminal.screen.redraw()
    coordinator?.screenDidResize()
  }

  private func showHelp(_ topic: String?) {
    let commands = (accountScreen?.shell.commands ?? CommandTable()).commands.map {
      HelpEntry(localizer($0.usageKey), localizer($0.summaryKey))
    }
    let pages = HelpPages.pages(
      bindings: bindings, context: accountScreen?.chats.context ?? .everywhere,
      commands: commands, localizer: localizer,
      other: [HelpPages.privacy(localizer: localizer, dataDirectory: context.paths.data.path)])
    let model = HelpViewModel(pages: pages, localizer: localizer, topic: topic ?? "")
    let pane = HelpPane(viewModel: model, glyphs: glyphs)
    model.onGuide = { [weak self] in
      self?.coordinator?.remove(pane)
      self?.showWelcome(.guide, account: self?.accountScreen?.services.account)
    }
    coordinator?.present(pane)
  }

  /// What was typed is in memory only: a full disk must not take it without a word.
  private func askToLeave() {
    guard !isAskingToLeave else { return }
    isAskingToLeave = true
    var pane: DialogPane?
    let close: () -> Void = { [weak self] in
      self?.isAskingToLeave = false
      if let pane { self?.coordinator?.remove(pane) }
    }
    let model = DialogViewModel.confirmation(
      title: localizer("quit.unsavedTitle"), text: [localizer("quit.unsaved")],
      yes: localizer("quit.anyway"), no: localizer("quit.stay"),
      onYes: { [weak self] in
        close()
        self?.end.yield(.quitUnsaved)
      },
      onNo: close)
    let dialog = DialogPane(viewModel: model, glyphs: glyphs, localizer: localizer)
    pane = dialog
    coordinator?.present(dialog)
  }

  private func confirm(_ request: ConfirmRequest) {
    var pane: DialogPane?
    let model = DialogViewModel.confirmation(request, localizer: localizer) { [weak self] in
      if let pane { self?.coordinator?.remove(pane) }
    }
    let dialog = DialogPane(viewModel: model, glyphs: glyphs, localizer: localizer)
    pane = dialog
    coordinator?.present(dialog)
  }

  /// - Returns: what takes the form away.
  private func present(_ form: FormViewModel) -> () -> Void {
    let pane = FormPane(glyphs: glyphs, localizer: localizer) { form }
    coordinator?.present(pane)
    return { [weak self] in self?.coordinator?.remove(pane) }
  }

  // MARK: - Time

  /// The clock's next minute; nothing wakes the program in between.
  private func scheduleMinute() {
    let seconds = Date().timeIntervalSince1970
    let rest = 60 - seconds.truncatingRemainder(dividingBy: 60)
    scheduler.after(.milliseconds(Int(rest * 1000) + 20)) { [weak self] in
      self?.coordinator?.minutePassed()
      self?.scheduleMinute()
    }
  }

  /// Runs `work` until it is done or the program ends.
  private func begin(_ work: @escaping @MainActor () async -> Void) {
    works.removeAll { $0.isCancelled }
    works.append(Task { await work() })
  }
}

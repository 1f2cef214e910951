import Configuration
import ConnectionService
import Diagnostics
import FoundationEssentials
import Glibc
import NatterCore
import Panes
import SessionService
import Storage
import Terminal
import Text
import ViewModels
import XMPP

// From nothing to the shell of one account (flows.md, "Start-up"), and what can be in the way.
extension FullScreen {
  func start() async {
    do {
      if context.options.isLocal {
        try await openLocal(named: context.options.account ?? LocalAccounts.defaultName)
        return
      }
      opensOthers = !context.isForOneAccount
      // Then nothing has to run beside the main actor, and the first frame waits for nothing.
      if context.hasNoAccount {
        begin(with: nil, hasCredential: false)
        return
      }
      let (account, hasCredential) = try await context.firstAccount()
      if let account = begin(with: account, hasCredential: hasCredential) { await open(account) }
    } catch {
      showFailure(error)
    }
  }

  /// Shows what comes first: guide, sign-in or an invitation.
  /// - Returns: the account whose shell it is instead.
  @discardableResult
  private func begin(with account: Account?, hasCredential: Bool) -> Account? {
    let facts = StartupFacts(
      account: account, isNamed: context.options.account != nil, hasCredential: hasCredential,
      guideWasSeen: context.guideWasSeen)
    switch facts.step {
    case .shell(let account): return account
    case .guide where invitation != nil, .signIn where invitation != nil:
      if let text = invitation {
        do { try showInvitation(text) } catch {
          showFailure(error)
          return nil
        }
      }
      // One to a contact is opened once more when there is an account: it says whom to add.
      if waitingAddress.flatMap({ ResourceAddress($0) })?.query == "register" {
        waitingAddress = nil
      }
    case .guide: showWelcome(.guide, account: nil)
    case .signIn(let account): showWelcome(.signIn, account: account)
    }
    return nil
  }

  func startAndLetInputIn() async {
    await start()
    // The shell accepts input by itself. Input typed before a question must not answer it.
    if accountScreen == nil { await letInputIntoWelcome() }
  }

  /// Accepts input while there is no account. Keys for the guide wait until its choices are read.
  func letInputIntoWelcome() async {
    let cancel = scheduler.after(Self.choicesLimit) { [weak self] in self?.openGate() }
    await guide.reading?.value
    cancel()
    openGate()
  }

  private func openGate() {
    if gate.isShut { letInputIn(replaying: welcome != nil) }
  }

  private static let choicesLimit = Duration.seconds(1)

  /// The invitation to make an account that the program was started with.
  private var invitation: String? {
    waitingAddress.flatMap { Invitation($0) == nil ? nil : $0 }
  }

  /// Opens the form for a new account with an invitation in it (XEP-0445).
  func showInvitation(_ text: String) throws {
    guard let invitation = Invitation(text) else {
      throw NatterError(.invalidInput, "error.badURI", ["text": text])
    }
    let account = try context.choice.newAccount(at: invitation.address)
    showWelcome(.register, account: nil, newcomer: account)
    welcome?.model.register.begin(with: text)
  }

  func openLocal(named name: String) async throws {
    let local = LocalAccounts(context: context)
    let account = try await local.account(named: name, isFresh: context.options.isFresh)
    context.rememberGuideWasSeen()
    await open(account)
  }

  /// Opens the shell on what the database holds; the connection follows by itself.
  /// - Parameter asked: the process that was asked to leave the account, if one was.
  func open(_ account: Account, asked: Int32? = nil) async {
    // With another account on the screen, it shows the problem of this one.
    if accountScreen != nil {
      guard await openBehind(account), let screen = screen(of: account.jid) else { return }
      leaveWelcome()
      screen.awaitsConnection = true
      return show(screen)
    }
    let screen: AccountScreen
    do { screen = try await makeScreen(of: account) } catch {
      if case StorageError.locked(let holder?) = error {
        if await handOverAddress(of: account, from: holder) {
          end.yield(.addressSpooled(to: holder))
          return
        }
        offerTakeOver(of: account, from: holder, wasAsked: holder == asked)
      } else {
        showFailure(error, of: account)
      }
      return
    }
    if let welcome { coordinator?.remove(welcome.pane) }
    welcome = nil
    setSlot(account, screen)
    shownAccount = account.jid.bare
    screen.awaitsConnection = true
    // A terminal that takes nothing must not keep the account from its connection.
    connectSoon(screen)
    showWhenLoaded(screen)
    coordinator?.display.hurriedFrames = 4
    coordinator?.show(screen.desktop)
    if let notice = notice(of: mistakes) {
      screen.services.hub.publish(.notice(notice))
    } else if localizer.tag == "zh-Hans",
      LanguageChoice.isOtherChinese(
        wanted: context.options.language ?? settings.current.ui.language,
        environment: context.environment, available: [localizer.tag])
    {
      screen.services.hub.publish(.notice(StatusNotice(.info, "status.otherChinese")))
    } else {
      let hub = screen.services.hub
      CrashPage(directory: context.paths.state).announce(context.log) { hub.publish(.notice($0)) }
    }
  }

  /// Opens the database of an account and puts everything together that works for it.
  /// - Throws: `StorageError`, or what else is in the way.
  func makeScreen(of account: Account) async throws -> AccountScreen {
    let database = try await context.openDatabase(of: account.jid)
    let crashes = await CrashPage(directory: context.paths.state).withReports
    do {
      let services = try context.services(
        for: account, database: database, credentials: context.credentials, hub: EventHub())
      let (mediator, memory) = (Mediator(), RecentChoices())
      mediator.elsewhere = { [weak self] in
        try self?.open($1, in: $0, not: account.jid, isForeign: $2) ?? false
      }
      let (shell, desktop) = makeShell(on: services, mediator, memory, crashes)
      let screen = AccountScreen(
        services: services, mediator: mediator, paletteMemory: memory, shell: shell,
        desktop: desktop,
        requests: AccountRequests(
          open: { [weak self] in self?.openSpooledAddress($0, for: account.jid) },
          leave: { [weak self] in self?.begin { await self?.signedOutElsewhere(of: account.jid) } },
          listener: BridgeListener(context, services, host: ScreenHost(self)))
      ) { [weak self] in self?.follow($0, of: account.jid) }
      begin { [weak self, weak screen] in
        for await _ in database.damage {
          if let screen { self?.reportDamage(of: screen) }
        }
      }
      return screen
    } catch {
      await database.close()
      throw error
    }
  }

  /// Lets the connection begin, also where nothing of the account is drawn.
  func connectSoon(_ screen: AccountScreen) {
    _ = scheduler.after(Self.firstFrameLimit) { [weak screen] in screen?.connect() }
  }

  private static let firstFrameLimit = Duration.milliseconds(300)

  /// Lets the first frame wait for what the database holds: it comes in a few milliseconds.
  private func showWhenLoaded(_ screen: AccountScreen) {
    coordinator?.display.hold(for: Self.contentLimit)
    let timeline = screen.shell.timeline
    timeline.onLoaded = { [weak self, weak timeline] in
      timeline?.onLoaded = {}
      self?.releaseFirstFrame()
    }
  }

  /// Shows the first frame unless it has to wait: text of other users is safer once the terminal
  /// has shown that it reads UTF-8.
  func releaseFirstFrame() {
    guard !terminal.owesCharacterSet, accountScreen?.shell.timeline.isLoading == false else {
      return
    }
    coordinator?.display.release()
  }

  /// From here on a frame that lacks something is better than none.
  private static let contentLimit = Duration.milliseconds(100)

  /// The account's shell has read its database.
  func shellLoaded(_ account: JID) {
    guard isShown(account) else {
      if let screen = screen(of: account) { connect(screen) }
      return
    }
    letInputIn(replaying: true)
    openWaitingAddress()
    coordinator?.display.afterFrame = { [weak self] in self?.connectWhenShown() }
    // Otherwise the page that is read ends the waiting.
    releaseFirstFrame()
  }

  /// The content of the database is shown before libcurl, the network and the server's replies take
  /// the CPU, and before the other accounts are opened.
  func connectWhenShown() {
    guard let screen = accountScreen, !screen.shell.timeline.isLoading else { return }
    coordinator?.display.afterFrame = {}
    connect(screen)
    // From here on a change of its file is seen.
    refreshTheme()
    themeCatalogue.refreshSoon()
    if let notice = terminal.takeNotice() { screen.shell.show(notice) }
    reportSettingsFault(on: screen)
    // A terminal that has not reported UTF-8 by then is not going to.
    _ = scheduler.after(.seconds(terminal.owesCharacterSet ? 5 : 1)) { [weak self] in
      self?.reportCharacterSet()
    }
    if widths?[.ambiguous] == nil {
      terminal.askForModes()
      terminal.askForWidths()
      askForSixels()
    }
    if opensOthers { begin { await self.openOthers() } }
  }

  private func connect(_ screen: AccountScreen) {
    screen.connect()
    screen.shell.showFeeds(of: DiscoverPorts(screen.services).feeds)
  }

  /// Reports once that settings cannot be saved here, before a user tries to change one.
  private func reportSettingsFault(on screen: AccountScreen) {
    guard !hasReported.settingsFault else { return }
    hasReported.settingsFault = true
    // Problems in the files use the same line, and are worse.
    guard mistakes.isEmpty,
      let fault = context.settingsFault
    else { return }
    screen.services.hub.publish(.notice(StatusNotice(.warning, fault.key, fault.arguments)))
  }

  // MARK: - What is in the way

  func showFailure(_ error: any Error) {
    context.log.error("start-up: \(error)")
    let notice = LaunchFailure.notice(error, localizer: localizer)
    let code = LaunchFailure.commandFailure(error, localizer: localizer).code
    startFailure = code
    // Room may be made meanwhile, rights given; what was typed wrong stays wrong.
    let retry: [Dialog.Button] =
      code == .usage || code == .badConfiguration
      ? [] : [.init("retry", localizer("startup.retry"))]
    var pane: DialogPane?
    let close: () -> Void = { [weak self] in
      self?.startFailure = nil
      if let pane { self?.coordinator?.remove(pane) }
    }
    let model = DialogViewModel(
      Dialog(
        title: localizer("startup.title"), level: .error,
        lines: notice.map { .text($0) },
        buttons: retry
          + [
            .init("signIn", localizer("startup.sign-in")),
            .init("quit", localizer("startup.quit")),
          ], safe: retry.first?.id ?? "quit"),
      onPress: { [weak self] button in
        close()
        switch button {
        case "retry": self?.begin { await self?.start() }
        case "signIn": self?.showWelcome(.signIn, account: nil)
        default: self?.end.yield(.failed(code))
        }
      },
      onCancel: { [weak self] in self?.end.yield(.failed(code)) })
    let dialog = DialogPane(
      viewModel: model, glyphs: glyphs, localizer: localizer, hidesOthers: true)
    pane = dialog
    coordinator?.present(dialog)
  }

  /// The account's database cannot be opened: try again, put it aside where it is damaged, or quit.
  func showFailure(_ error: any Error, of account: Account) {
    guard let error = error as? StorageError else { return showFailure(error) }
    context.log.error("start-up: \(error)")
    startFailure = .failed
    var pane: DialogPane?
    let model = StartupDialog.viewModel(for: error.natterError, localizer: localizer) {
      [weak self] choice in
      guard let self else { return }
      startFailure = nil
      if choice != .quit, let pane { coordinator?.remove(pane) }
      switch choice {
      case .quit: end.yield(.failed(.failed))
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

  /// A page of the open database is damaged: set it aside, or go on with the readable part.
  private func reportDamage(of screen: AccountScreen) {
    let file = context.databaseFile(of: screen.account.jid).path
    let error = StorageError.damaged(path: file).natterError
    context.log.error("damaged: \(file)")
    var pane: DialogPane?
    let close: () -> Void = { [weak self] in
      if let pane { self?.coordinator?.remove(pane) }
    }
    let model = DialogViewModel(
      Dialog(
        title: localizer("startup.damagedTitle"), level: .error,
        lines: [.text(localizer(error)), .blank, .text(localizer("startup.damagedAsk"))],
        buttons: [
          .init("later", localizer("startup.later")), .init("aside", localizer("startup.setAside")),
        ], safe: "later"),
      onPress: { [weak self] button in
        close()
        guard button == "aside" else { return }
        self?.begin { await self?.setAside(screen) }
      },
      onCancel: close)
    let dialog = DialogPane(viewModel: model, glyphs: glyphs, localizer: localizer)
    pane = dialog
    coordinator?.present(dialog)
  }

  private func setAside(_ screen: AccountScreen) async {
    let account = screen.account
    if await !leave(screen) { coordinator?.show(nil) }
    await setAside(of: account)
  }

  func setAside(of account: Account) async {
    do { try context.setDatabaseAside(of: account.jid) } catch {
      return showFailure(error, of: account)
    }
    await open(account)
  }

  /// Another Natter has this account: it can be asked to quit, which it does with everything saved.
  /// - Parameter wasAsked: whether it was, and has not left.
  func offerTakeOver(of account: Account, from holder: Int32, wasAsked: Bool = false) {
    var pane: DialogPane?
    let model = DialogViewModel.confirmation(
      title: localizer("startup.inUseTitle"),
      text: [
        localizer(
          wasAsked ? "startup.stillInUse" : "startup.inUse",
          ["account": account.jid.description, "pid": String(holder)])
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

  func takeOver(_ account: Account, from holder: Int32) async {
    await context.end(holder, of: account.jid)
    guard !Task.isCancelled else { return }
    await open(account, asked: holder)
  }
}

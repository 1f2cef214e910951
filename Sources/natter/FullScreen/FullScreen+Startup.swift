import Configuration
import ConnectionService
import Diagnostics
import FoundationEssentials
import Glibc
import NatterCore
import Panes
import SessionService
import Storage
import ViewModels
import XMPP

// From nothing to the shell of one account (FLOWS.md 1), and what can be in the way.
extension FullScreen {
  func start() async {
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
      case .guide where invitation != nil, .signIn where invitation != nil:
        if let text = invitation { try showInvitation(text) }
        // One to a contact is opened once more when there is an account: it says whom to add.
        if waitingAddress.flatMap({ ResourceAddress($0) })?.query == "register" {
          waitingAddress = nil
        }
      case .guide: showWelcome(.guide, account: nil)
      case .signIn(let account): showWelcome(.signIn, account: account)
      }
    } catch {
      showFailure(error)
    }
  }

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

  func openLocal() async throws {
    let local = LocalAccounts(context: context)
    let account = try await local.account(
      named: context.options.account ?? LocalAccounts.defaultName,
      isFresh: context.options.isFresh)
    context.rememberGuideWasSeen()
    await open(account)
  }

  /// Opens the shell on what the database holds; the connection follows by itself.
  func open(_ account: Account) async {
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
      let (shell, desktop) = makeShell(on: services)
      awaitsConnection = true
      if let welcome { coordinator?.remove(welcome.pane) }
      welcome = nil
      accountScreen = AccountScreen(services: services, shell: shell, desktop: desktop) {
        [weak self] in self?.follow($0)
      }
      // A terminal that takes nothing must not keep the account from its connection.
      _ = scheduler.after(Self.firstFrameLimit) { [weak self] in self?.accountScreen?.connect() }
      coordinator?.display.hurriedFrames = 4
      coordinator?.show(desktop)
      for warning in context.warnings + keyProblems {
        hub.publish(.notice(Notice(.warning, "status.configuration", ["problem": warning])))
      }
    } catch {
      await database.close()
      showFailure(error)
    }
  }

  private static let firstFrameLimit = Duration.milliseconds(300)

  /// What the database holds stands on the screen before libcurl, the network and the server's answers take the machine.
  func connectWhenShown() {
    guard let screen = accountScreen, !screen.shell.timeline.isLoading else { return }
    coordinator?.display.afterFrame = {}
    screen.connect()
    if widths == nil { terminal.askForWidths() }
  }

  // MARK: - What is in the way

  func showFailure(_ error: any Error) {
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
  func showFailure(_ error: StorageError, of account: Account) {
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

  func setAside(of account: Account) async {
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
  func offerTakeOver(of account: Account, from holder: Int32) {
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

  func takeOver(_ account: Account, from holder: Int32) async {
    // SIGTERM: it saves what was being typed, closes its database and gives its terminal back.
    kill(holder, SIGTERM)
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline, kill(holder, 0) == 0 {
      // The lock tells nobody when it is free, so this asks again and again, for a moment only.
      do { try await Task.sleep(for: .milliseconds(50)) } catch { return }
    }
    await open(account)
  }
}

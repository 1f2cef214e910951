import Configuration
import Diagnostics
import FoundationEssentials
import Glibc
import Keys
import NatterCore
import Panes
import SessionService
import Storage
import System
import TerminalNcurses
import Text
import ViewModels
import XMPP

/// One of the program's accounts, and its screen where it is open.
struct AccountSlot: Identifiable {
  let account: Account
  /// `nil`: it could not be opened, or was not yet.
  var screen: AccountScreen?

  var id: JID { account.jid.bare }
}

// Several accounts: each has its database, services and connection, and one has the screen.
extension FullScreen {
  /// The account that is shown, where there is one.
  var accountScreen: AccountScreen? { shownAccount.flatMap { screen(of: $0) } }

  func screen(of account: JID) -> AccountScreen? {
    slots.first { $0.id == account.bare }?.screen
  }

  /// Every account that is open, in order.
  var screens: [AccountScreen] { slots.compactMap(\.screen) }

  /// Those that are open behind the one that is shown.
  var hiddenScreens: [AccountScreen] { screens.filter { $0 !== accountScreen } }

  func isShown(_ account: JID) -> Bool { shownAccount == account.bare }

  // MARK: Opening

  /// Adds an account to the list, in its position or at the end.
  func setSlot(_ account: Account, _ screen: AccountScreen?) {
    let new = AccountSlot(account: account, screen: screen)
    if let index = slots.firstIndex(where: { $0.id == new.id }) {
      slots[index] = new
    } else {
      slots.append(new)
    }
  }

  /// Opens the other signed-in accounts one after the other, behind the one that is shown.
  func openOthers() async {
    guard opensOthers else { return }
    opensOthers = false
    let others: [Account]
    do { others = try await context.signedInAccounts() } catch {
      context.log.error("the other accounts: \(error)")
      return
    }
    // In the order of the file, wherever the one is that came first.
    for account in others where !slots.contains(where: { $0.id == account.jid.bare }) {
      setSlot(account, nil)
    }
    let order = others.map(\.jid.bare)
    slots.sort {
      (order.firstIndex(of: $0.id) ?? order.count) < (order.firstIndex(of: $1.id) ?? order.count)
    }
    for account in others { await openBehind(account) }
  }

  /// Opens an account that is not shown.
  /// - Returns: whether it is open now.
  @discardableResult func openBehind(_ account: Account) async -> Bool {
    // A second opening waits for the first: it would find the database locked.
    if let opening = opening[account.jid.bare] { return await opening.value }
    let task = Task { await openScreen(of: account) }
    opening[account.jid.bare] = task
    defer { opening[account.jid.bare] = nil }
    return await task.value
  }

  private func openScreen(of account: Account) async -> Bool {
    guard screen(of: account.jid) == nil else { return true }
    do {
      let screen = try await makeScreen(of: account)
      setSlot(account, screen)
      // It is not drawn: its shell lets the connection begin when it has read its database.
      connectSoon(screen)
      tendHidden()
      accountsChanged()
      return true
    } catch {
      context.log.error("an account was not opened: \(error)")
      let reason = NatterError(reporting: error, key: "error.unexpected")
      accountScreen?.shell.show(
        StatusNotice(
          .warning, "status.accountNotOpened",
          [
            "account": account.jid.description,
            "reason": localizer(reason.key, reason.arguments),
          ]))
      accountsChanged()
      return false
    }
  }

  // MARK: Showing

  /// Adds the actions on accounts that shells may request.
  func addAccounts(to actions: inout ShellActions) {
    actions.accounts = { [weak self] in self?.slots.map(\.id) ?? [] }
    actions.showAccount = { [weak self] in self?.showAccount($0) }
    actions.showNextAccount = { [weak self] in self?.showNextAccount() }
    actions.showUnread = { [weak self] in
      self?.showAccount($0) { screen in
        screen.desktop.open(.chats)
        screen.shell.openUnreadHere()
      }
    }
  }

  /// Shows an account where it was left; one that could not be opened is tried again.
  /// - Parameter work: what is done there once it is shown.
  func showAccount(_ id: JID, then work: @escaping (AccountScreen) -> Void = { _ in }) {
    guard let slot = slots.first(where: { $0.id == id.bare }), !isShown(slot.id) else { return }
    if let screen = slot.screen {
      show(screen)
      return work(screen)
    }
    begin {
      guard await self.openBehind(slot.account), let screen = self.screen(of: slot.id) else {
        return
      }
      self.show(screen)
      work(screen)
    }
  }

  /// Opens an address in the account that it names.
  /// - Returns: `false` where that is `own`, whose address it is to open by itself.
  /// - Throws: `NatterError` where it is none of those that are here.
  func open(
    _ address: String, in account: String, not own: JID, isForeign: Bool
  ) throws -> Bool {
    let jid = JID(userInput: account)?.bare
    if jid == own.bare { return false }
    guard let jid, slots.contains(where: { $0.id == jid }) else {
      throw NatterError(.invalidInput, "error.notAnAccount", ["account": account])
    }
    if let screen = accountScreen, screen.account.jid.bare == jid {
      open(address, on: screen, isForeign: isForeign)
    } else {
      showAccount(jid) { [weak self] in self?.open(address, on: $0, isForeign: isForeign) }
    }
    return true
  }

  func showNextAccount() {
    guard slots.count > 1, let index = slots.firstIndex(where: { $0.id == shownAccount }) else {
      accountScreen?.shell.show(StatusNotice(.info, "status.oneAccount"))
      return
    }
    // What could not be opened is gone to only on purpose.
    let after = slots[(index + 1)...] + slots[..<index]
    if let next = after.first(where: { $0.screen != nil }) { showAccount(next.id) }
  }

  /// Shows an account; the previous one goes on in the background with position, drafts and tab.
  func show(_ screen: AccountScreen) {
    hideAlert()
    shownAccount = screen.account.jid.bare
    if !context.isForOneAccount { context.remember(shown: screen.account.jid.bare) }
    coordinator?.show(screen.desktop)
    screen.desktop.slides = slidesTabs
    tendHidden()
    accountsChanged()
    if let problem = screen.refusal { askForCredential(of: screen, because: problem) }
    reportUnreported()
  }

  /// Does for the hidden accounts what the coordinator does for the account that is shown.
  func tendHidden() {
    for screen in hiddenScreens {
      screen.shell.onBell = { [weak self] in self?.terminal.screen.bell() }
    }
  }

  /// Passes the state of all accounts to every shell.
  func accountsChanged() {
    let states = slots.map { $0.screen?.shell.accountState ?? AccountState($0.id) }
    for screen in screens { screen.shell.show(states) }
  }

  /// Shows the sign-in form once the user stops typing: the input belongs to what is below it. A
  /// form that is being filled in stays; this one comes after it.
  func askForCredential(of screen: AccountScreen, because problem: ConnectionProblem) {
    // It is being done.
    guard welcome?.account != screen.account.jid.bare else { return }
    screen.refusal = problem
    pause.whenQuiet { [weak self, weak screen] in
      guard let self, let screen, isShown(screen.account.jid), welcome == nil,
        let problem = screen.refusal
      else { return }
      screen.refusal = nil
      hideAlert()
      showWelcome(.signIn, account: screen.account)
      welcome?.model.showSignIn(because: problem)
    }
  }

  // MARK: All of them

  func focusChangedBehind(_ isFocused: Bool) {
    for screen in hiddenScreens { screen.desktop.terminalFocusChanged(isFocused) }
  }

  func minutePassedBehind() {
    for screen in hiddenScreens { screen.shell.minutePassed() }
  }

  /// Saves what is being typed in every account.
  /// - Returns: whether all of it is in the databases now.
  func saveDrafts() async -> Bool {
    var areSaved = true
    for screen in screens where await !screen.shell.saveDrafts() { areSaved = false }
    return areSaved
  }

  /// Takes an account out of the program, and closes it.
  /// - Returns: whether another one is shown.
  func leave(_ screen: AccountScreen) async -> Bool {
    let isAnotherShown = unseat(screen)
    await screen.close()
    return isAnotherShown
  }

  /// Removes an account from the list; the caller closes it, which may take seconds. If it is
  /// shown, the next account is shown instead; without one, its last picture stays.
  /// - Returns: whether another one is shown.
  func unseat(_ screen: AccountScreen) -> Bool {
    let index = slots.firstIndex { $0.id == screen.account.jid.bare } ?? 0
    slots.removeAll { $0.id == screen.account.jid.bare }
    guard isShown(screen.account.jid) else {
      accountsChanged()
      return true
    }
    let next = (slots.dropFirst(index) + slots.prefix(index)).first { $0.screen != nil }?.screen
    hideAlert()
    if let next {
      show(next)
    } else {
      shownAccount = nil
    }
    return next != nil
  }

  // MARK: The palette

  /// The accounts that are not shown.
  func accountEntries() -> [PaletteEntry] {
    slots.filter { !isShown($0.id) }.map { slot in
      PaletteEntry(
        id: "account \(slot.id)", kind: .action,
        title: localizer("palette.account", ["account": slot.id.description]),
        detail: "/account \(slot.id)"
      ) { [weak self] in self?.showAccount(slot.id) }
    }
  }
}

extension LaunchContext {
  /// The stored accounts with a secret that sign in at the start, in the order they were saved.
  func signedInAccounts() async throws -> [Account] {
    var found: [Account] = []
    for account in try await accounts.accounts() where account.signsInAtStart {
      if try await maySignIn(to: account.jid) { found.append(account) }
    }
    return found
  }

  /// Indicates whether certainly no account exists or is named. What cannot be read may exist.
  var hasNoAccount: Bool {
    guard options.account == nil, settings.account.address == nil, given == nil else {
      return false
    }
    return access(accountList.path, F_OK) != 0 && errno == ENOENT
  }

  private var shownMark: URL { paths.state.appending(path: "shown-account") }

  /// Keeps which of several accounts is shown, for the next start.
  func remember(shown account: JID) {
    if !PrivateText.write(account.description + "\n", to: shownMark.path) {
      log.warning("which account is shown could not be kept")
    }
  }

  /// The account that was shown when another one was gone to last, if it is there still.
  func lastShownAccount() async throws -> JID? {
    guard let text = try? String(contentsOf: shownMark, encoding: .utf8),
      let jid = JID(userInput: text.trimmed)
    else { return nil }
    return try await accounts.accounts().first { $0.jid.bare == jid && $0.signsInAtStart }?.jid
  }

  /// The account of the command line's address; `nil`: none is named, or it is not known here.
  func accountOfAddress() async throws -> JID? {
    guard options.account == nil, !options.isLocal,
      let name = options.address.flatMap({ ResourceAddress($0) })?.account,
      let jid = JID(userInput: name)?.bare
    else { return nil }
    if settings.account.address?.bare == jid { return jid }
    return try await accounts.accounts().first { $0.jid.bare == jid }?.jid
  }

  /// The first account of the full screen, and whether it may sign in; `nil`: there is none.
  func firstAccount() async throws -> (account: Account?, hasCredential: Bool) {
    let named = try await accountOfAddress()
    let isFree = named == nil && !isForOneAccount && settings.account.address == nil
    // Several accounts: the one that was left.
    let last = isFree ? try await lastShownAccount() : nil
    let account = try await choice.account(named: (named ?? last)?.description)
    if let account, let local = try await LocalAccounts(context: self).known(account) {
      return (local, true)
    }
    if let account, let given { await credentials.keep(given, for: account.jid) }
    var hasCredential = false
    if let account { hasCredential = try await maySignIn(to: account.jid) }
    // If the default account was signed out of, another one is first.
    if isFree, !hasCredential || account?.signsInAtStart == false,
      let other = try await signedInAccounts().first
    {
      return (other, true)
    }
    return (account, hasCredential)
  }

  /// The longest wait for a Natter that opens addresses to say so: no screen shows the wait yet.
  private static let handoffLimit = Duration.seconds(1)

  /// Passes the command line's address to the Natter that has its account, before any screen.
  /// - Returns: the process that has opened it; `nil`: it is still to be opened.
  func handOverAddress() async throws -> Int32? {
    guard let address = options.address, !options.isFresh, options.isLocal || !hasNoAccount else {
      return nil
    }
    let jid: JID?
    if options.isLocal {
      let name = options.account ?? LocalAccounts.defaultName
      jid = try LocalAccounts(context: self).address(named: name)
    } else {
      jid = try await firstAccount().account?.jid
    }
    guard let file = jid.map({ databaseFile(of: $0).path }) else { return nil }
    do { try AccountDatabase.checkUnused(file) } catch {
      guard case .locked(let holder?) = error else { return nil }
      let messenger = InstanceMessenger(
        MessageSpool(besideDatabase: file), within: Self.handoffLimit)
      return await messenger.hand(address, as: .address) ? holder : nil
    }
    return nil
  }

  /// Indicates whether the command line asks for one account only.
  var isForOneAccount: Bool { options.account != nil || options.isLocal }
}

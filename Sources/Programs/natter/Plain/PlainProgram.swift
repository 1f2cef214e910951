import Configuration
import ConnectionService
import Crypto
import Diagnostics
import FileService
import FoundationEssentials
import Glibc
import LocalServer
import MessagingService
import NatterCore
import PeopleService
import RoomService
import SessionService
import Storage
import System
import Terminal
import TerminalNcurses
import Text
import ViewModels
import XMPP

/// Line mode as a way to run the program: the account, its services, standard input line by line.
struct PlainProgram {
  let context: LaunchContext

  /// - Returns: the exit code.
  func run() async throws -> Int32 {
    let account: Account
    let credentials: any CredentialStoring
    var others: [JID] = []
    if context.options.isLocal {
      account = try await LocalAccounts(context: context).account(
        named: context.options.account ?? LocalAccounts.defaultName,
        isFresh: context.options.isFresh)
      credentials = context.credentials
    } else {
      (account, credentials) = try await signedInAccount()
      if !context.isForOneAccount {
        others = try await context.signedInAccounts().map(\.jid.bare)
          .filter { $0 != account.jid.bare }
      }
    }
    let hub = EventHub()
    let database = try await openDatabase(of: account.jid)
    let services = try context.services(
      for: account, database: database, credentials: credentials, hub: hub,
      // The guide of the built-in server has other texts for line mode.
      resource: account.isLocal ? WelcomeBot.lineModeResource + randomIdentifier(byteCount: 4) : nil
    )
    let format = ItemFormat(
      localizer: context.localizer.saying(PlainText.own), glyphs: .ascii,
      account: account.jid, customs: context.timeCustoms,
      spellsEmoji: context.settings.ui.emoji == .names)
    let files = context.files
    let emoji = context.settings.ui.sendsEmoji ? format.emojiNames : nil
    let sender = EmojiSender(services.outbox) { emoji }
    var ports = PlainPorts(
      timeline: database.timeline, searching: database.search,
      conversations: database.conversations, roster: database.roster,
      preferences: database.settings, sending: sender, relating: sender,
      people: services.roster, blocking: services.blockList, presence: services.presence,
      connection: services.connection, reading: services.readState,
      rooms: services.rooms, history: services.history, files: services.files,
      paths: PlainPaths(absolute: { files.absolute($0) }, isFile: { files.isFile($0) }))
    if !account.isLocal {
      ports.signIn = { try await signIn(account, $0, acceptsWeaker: $1, services.connection) }
    }
    ports.extras.historyFiles = AccountHistoryFiles(
      services, format: format, folder: files.downloadFolder)
    let scripting = ScriptComposition(context, mayAsk: true)
    ports.extras.scripts = scripting.scripts
    ports.paths.open = { try files.open($0, onFailure: $1) }
    ports.paths.mayRun = { await FileCaution.isNeeded(for: $0) }
    let rules = NotificationRules(context)
    let notifications = rules.notifications(of: account.jid, nil) {
      try await services.rooms.keepNotification($0.setting, of: $1)
    }
    ports.notifications = PlainNotifications(
      rules: notifications,
      take: { [log = context.log] rule, room in
        guard rules.set(rule, of: room, for: account.jid) else {
          return log.warning("the rule that another client chose could not be stored")
        }
        notifications.reload()
      })
    ports.hidesInput = { isHidden in
      if isHidden { _ = HiddenInput.hide(STDIN_FILENO) } else { HiddenInput.show() }
    }
    if let fault = context.settingsFault {
      StandardStreams.printError(
        "natter: " + SafeText.line(context.localizer(fault.key, fault.arguments)))
    }
    if !StandardStreams.takesUTF8(STDOUT_FILENO) {
      StandardStreams.printError("natter: " + context.localizer("status.notUTF8"))
    }
    // The first conversation of a user who tries Natter is the guide.
    let session = PlainSession(
      account: account, others: others,
      beginning: account.isLocal && context.options.address == nil ? LocalAccounts.guide : nil,
      ports: ports, format: format)
    let events = hub.events()
    let signals = StopSignals([SIGINT, SIGTERM, SIGHUP])
    let host = StoredHost(context, database.settings)
    let listener = BridgeListener(context, services, host: host)
    scripting.bridges.add(AccountBridges.Open(services, host: host))
    let code = await withTaskGroup(of: Void.self) { group in
      group.addTask { await services.run() }
      group.addTask { await listener.run() }
      group.addTask { await session.follow(events) }
      group.addTask { await PlainScripts(session: session).follow() }
      group.addTask { if let spool = services.spool { await InstanceMessenger(spool).refuseAll() } }
      scripting.begin()
      let signal = await take(LineInput(descriptor: STDIN_FILENO), session, signals)
      // From here on a second signal ends the program at once.
      signals.release()
      session.endPassword()
      if signal == SIGTERM, let claimant = context.claimant(of: account.jid) {
        let text = context.localizer(
          "plain.taken-over", ["account": account.jid.description, "pid": String(claimant)])
        StandardStreams.printError("natter: " + SafeText.line(text))
      }
      await scripting.end()
      await services.connection.goOffline()
      group.cancelAll()
      return signal.map { 128 + $0 } ?? ExitCode.done.rawValue
    }
    await database.close()
    return code
  }

  /// The account with its secret. If no account is signed in, the user is asked at a terminal.
  /// - Throws: `CommandFailure` where there is no terminal, or the user gives up.
  private func signedInAccount() async throws -> (Account, any CredentialStoring) {
    do { return try await context.signedInAccount() } catch let failure as CommandFailure {
      guard failure.code == .noPermission else { throw failure }
      if isatty(STDIN_FILENO) != 0, let account = try await PlainSignIn(context: context).run() {
        return (account, context.credentials)
      }
      throw CommandFailure(
        code: failure.code, text: failure.text + "\n" + context.localizer("plain.try-it"))
    }
  }

  /// Passes input lines to the session, until they end, or the user or a signal ends the program.
  /// - Returns: the signal.
  private func take(_ input: LineInput, _ session: PlainSession, _ signals: StopSignals) async
    -> Int32?
  {
    defer { input.end() }
    return await withTaskGroup(of: Int32?.self) { ending in
      ending.addTask {
        if let address = context.options.address { await session.open(address: address) }
        for await line in input.lines { guard await session.take(line) else { break } }
        return nil
      }
      ending.addTask { await signals.numbers.first { _ in true } }
      defer { ending.cancelAll() }
      return await ending.next() ?? nil
    }
  }

  /// Signs in with a password and connects with the result. An account that is only for this run is
  /// not stored.
  private func signIn(
    _ account: Account, _ password: String, acceptsWeaker: Bool,
    _ connection: any ConnectionControlling
  ) async throws {
    let credential = Credential(password: password)
    var account = account
    if acceptsWeaker { account.acceptsWeakerSignIn = true }
    if try await context.accounts.accounts().contains(where: { $0.jid.bare == account.jid.bare }) {
      try await context.signIn().signIn(
        SignInRequest(account: account, credential: credential, remembersCredential: true)
      ) { _ in }
    } else {
      // Once the server has accepted the weaker login, later connections may use it, too.
      if acceptsWeaker { try await context.connector.verify(account, credential) { _ in } }
      await context.credentials.keep(credential, for: account.jid)
    }
    await connection.connectNow()
  }

  /// The account's database. If another instance has it, the user can take it over at a terminal.
  /// - Throws: `StorageError`; `CommandFailure` if another instance has it and keeps it.
  private func openDatabase(of account: JID) async throws -> AccountDatabase {
    do { return try await context.openDatabase(of: account) } catch StorageError.locked(let holder?)
    {
      let holding = ["account": account.description, "pid": String(holder)]
      guard isatty(STDIN_FILENO) != 0 else {
        throw CommandFailure(code: .failed, text: context.localizer("plain.in-use", holding))
      }
      StandardStreams.write(
        SafeText.line(context.localizer("plain.take-over", holding)) + " ", to: STDOUT_FILENO)
      guard context.readsYes() else {
        throw CommandFailure(code: .failed, text: context.localizer("plain.in-use", holding))
      }
      await context.end(holder, of: account)
      return try await context.openDatabase(of: account)
    }
  }
}

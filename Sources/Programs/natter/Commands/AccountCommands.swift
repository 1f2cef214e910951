import FoundationEssentials
import Glibc
import NatterCore
import SessionService
import Storage
import Terminal
import TerminalNcurses
import Text
import ViewModels
import XMPP

/// `natter accounts`, `natter login` and `natter logout`: accounts without the full screen.
struct AccountCommands {
  let context: LaunchContext

  /// Prints one account per line: the address, and `default` after the default one.
  func list() async throws {
    let standard = try await context.accounts.defaultAccount()?.jid
    let accounts = try await context.accounts.accounts()
    // A notice for a user at a terminal; a script gets no lines.
    if accounts.isEmpty, isatty(STDOUT_FILENO) != 0 {
      StandardStreams.printError("natter: " + context.localizer("cli.no-accounts"))
    }
    for account in accounts {
      let mark = account.jid == standard ? "\t" + context.localizer("cli.default-account") : ""
      try StandardStreams.report(
        SafeText.line(account.jid.description) + mark, context.localizer)
    }
  }

  /// Signs in with the password of `--password-file`, or asks for it on the terminal; with
  /// `--browser` in a browser.
  func login(_ address: String) async throws {
    guard let account = try await context.choice.account(named: address) else { return }
    if context.options.usesBrowser {
      try await loginWithBrowser(account)
    } else {
      try await loginWithPassword(account)
    }
    StandardStreams.print(
      context.localizer("cli.signed-in", ["address": SafeText.line(account.jid.description)]))
  }

  private func loginWithPassword(_ account: Account) async throws {
    let credential: Credential
    if let given = try context.choice.givenCredential(allowsStandardInput: true) {
      credential = given
    } else if let stored = try await context.credentials.credential(for: account.jid),
      isatty(STDIN_FILENO) == 0
    {
      credential = stored
    } else {
      credential = try askForPassword(of: account.jid)
    }
    let request = SignInRequest(
      account: account, credential: credential, remembersCredential: true)
    let localizer = context.localizer
    let signIn = context.signIn(onWebTrouble: { @MainActor notice in
      StandardStreams.printError(
        "natter: " + SafeText.line(localizer(notice.key, notice.arguments)))
    })
    try await context.askingWhenWeaker(request) { try await signIn.signIn($0) { _ in } }
  }

  /// Deletes all that can be deleted; reports the rest with the manual steps for it.
  func logout(_ address: String) async throws {
    guard let jid = JID(typed: address)?.bare, jid.local != nil else {
      throw CommandFailure(
        code: .usage, text: context.localizer("cli.bad-address", ["address": address]))
    }
    guard try await context.accounts.accounts().contains(where: { $0.jid == jid }) else {
      throw CommandFailure(
        code: .failed, text: context.localizer("cli.no-such-account", ["address": address]))
    }
    let isDeleted = asksToDelete(jid)
    let isOpen = await context.stillOpen(jid)
    // Fails before anything is deleted if another instance still has the account open.
    if isDeleted { await (try await context.openDatabase(of: jid)).close() }
    var (left, isStillGood) = await context.signedOut(of: jid)
    do { try await context.accounts.remove(jid) } catch {
      left.append(context.accountLeft(jid, because: error))
    }
    if isDeleted {
      do { try await context.deleteData(of: jid) } catch { left.append(context.dataLeft(of: jid)) }
    }
    for reported in [isStillGood, isOpen].compactMap({ $0 }) {
      StandardStreams.printError("natter: " + context.localizer(reported.key, reported.arguments))
    }
    guard left.isEmpty else {
      throw CommandFailure(
        code: .failed,
        text: left.map { context.localizer($0.key, $0.arguments) }.joined(separator: "\n"))
    }
    StandardStreams.print(
      context.localizer(
        isDeleted ? "cli.signed-out-deleted" : "cli.signed-out",
        ["address": SafeText.line(jid.description)]))
  }

  /// Asks on the terminal whether to delete the account's stored data as well; without a terminal
  /// it stays.
  private func asksToDelete(_ jid: JID) -> Bool {
    guard isatty(STDIN_FILENO) != 0,
      FileManager.default.fileExists(atPath: context.databaseFile(of: jid).path)
    else { return false }
    StandardStreams.write(
      context.localizer("cli.delete-data", ["address": SafeText.line(jid.description)]),
      to: STDERR_FILENO)
    return context.readsYes()
  }

  /// Reads a line from the terminal without showing it.
  private func askForPassword(of jid: JID) throws -> Credential {
    guard isatty(STDIN_FILENO) != 0 else {
      throw CommandFailure(
        code: .usage, text: context.localizer("cli.needs-password", ["address": jid.description]))
    }
    let line = HiddenLine.read(
      context.localizer("cli.password-prompt", ["address": SafeText.line(jid.description)]))
    guard let line else {
      throw CommandFailure(
        code: .usage, text: context.localizer("cli.needs-password", ["address": jid.description]))
    }
    return Credential(password: line)
  }
}

import Configuration
import FoundationEssentials
import Glibc
import NatterCore
import Sockets
import XMPP

/// Finds the account and the secret that result from the command line, the configuration and the
/// stored accounts.
struct AccountChoice {
  let options: CommandLineOptions
  let settings: Settings
  let accounts: any AccountStoring
  let credentials: any CredentialStoring
  let localizer: Texts

  /// Formats a localized text from its key and arguments.
  typealias Texts = (String, [String: String]) -> String

  /// The account to use; `nil` when none is named or stored. Options of the command line take
  /// precedence over stored values.
  /// - Throws: `CommandFailure` for an invalid address, or a stored list that cannot be read.
  func account(named name: String? = nil) async throws -> Account? {
    var account: Account?
    if let text = name ?? options.account ?? settings.account.address?.description {
      guard let jid = JID(typed: text), jid.local != nil else {
        throw CommandFailure(code: .usage, text: localizer("cli.bad-address", ["address": text]))
      }
      account = try await stored(jid.bare) ?? Account(jid: jid.bare)
      if settings.account.address == jid.bare {
        apply(settings, to: &account)
      }
    } else {
      account = try await accounts.defaultAccount()
    }
    try apply(options, to: &account)
    return account
  }

  /// An account that does not exist yet, with the connection options of the command line.
  func newAccount(at address: JID) throws -> Account {
    var account: Account? = Account(jid: address)
    try apply(options, to: &account)
    return account ?? Account(jid: address)
  }

  /// The connection options of the command line, for a form in which no account is named; `nil`
  /// where there are none. The JID is a dummy.
  func connectionOptions() throws -> Account? {
    guard
      options.server != nil || options.security != nil || options.httpURL != nil
        || options.caFile != nil || options.acceptsWeakerSignIn
    else { return nil }
    var account: Account? = Account(jid: JID(local: "nobody", domain: "localhost"))
    try apply(options, to: &account)
    return account
  }

  /// Checks the options, even if there is no account.
  /// - Throws: `CommandFailure`.
  func check() throws {
    if !options.isLocal, let text = options.account {
      guard JID(typed: text)?.local != nil else {
        throw CommandFailure(code: .usage, text: localizer("cli.bad-address", ["address": text]))
      }
    }
    _ = try connectionOptions()
  }

  private func stored(_ jid: JID) async throws -> Account? {
    try await accounts.accounts().first { $0.jid == jid }
  }

  private func apply(_ settings: Settings, to account: inout Account?) {
    let wanted = settings.account
    if let server = wanted.server { account?.server = server }
    if let port = wanted.port { account?.port = port }
    if wanted.security != .automatic { account?.security = wanted.security }
    if let file = wanted.caFile { account?.caFile = file }
    if let url = wanted.httpURL { account?.httpURL = url }
  }

  private func apply(_ options: CommandLineOptions, to account: inout Account?) throws {
    if let server = options.server {
      guard let name = ServerName(server) else {
        throw CommandFailure(code: .usage, text: localizer("cli.bad-server", ["server": server]))
      }
      account?.server = name.host
      account?.port = name.port
    }
    if let security = options.security { account?.security = security }
    if options.acceptsWeakerSignIn { account?.acceptsWeakerSignIn = true }
    if options.security == .off, let account {
      // Reported at once, and not as a failed connection: no server could change it.
      let host = account.server ?? account.jid.domain
      guard Endpoint.isThisMachine(host) else {
        throw CommandFailure(code: .usage, text: localizer("cli.tls-off-elsewhere", ["host": host]))
      }
    }
    if let url = options.httpURL {
      guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
        throw CommandFailure(code: .usage, text: localizer("cli.bad-url", ["url": url]))
      }
      account?.httpURL = url
    }
    if let file = options.caFile {
      switch TrustOptions.fault(of: file) {
      case .unreadable:
        throw CommandFailure(code: .usage, text: localizer("cli.unreadable-file", ["path": file]))
      case .noCertificate:
        throw CommandFailure(code: .usage, text: localizer("cli.no-certificate", ["path": file]))
      case nil: break
      }
      account?.caFile = URL(filePath: file).path
    }
  }

  /// The secret of the command line's `--password-file`, if there is one.
  /// - Parameter allowsStandardInput: whether `-` may mean standard input; not for the full screen,
  ///   which reads keys from it.
  func givenCredential(allowsStandardInput: Bool) throws -> Credential? {
    guard let file = options.passwordFile else { return nil }
    let descriptor: Int32
    // Standard input has no path to name in an error.
    let isInput = file == "-"
    func fault(_ code: ExitCode, _ key: String, ofInput inputKey: String) -> CommandFailure {
      CommandFailure(
        code: code, text: isInput ? localizer(inputKey, [:]) : localizer(key, ["path": file]))
    }
    let unreadable = fault(.usage, "cli.unreadable-file", ofInput: "cli.unreadable-input")
    if isInput {
      guard allowsStandardInput else {
        throw CommandFailure(code: .usage, text: localizer("cli.password-stdin", [:]))
      }
      descriptor = STDIN_FILENO
    } else {
      descriptor = open(file, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw unreadable }
    }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    let password: String
    do { password = try StandardStreams.firstLine(of: descriptor) } catch {
      guard error.code == .EILSEQ else { throw unreadable }
      throw fault(.badData, "cli.bad-password", ofInput: "cli.bad-input")
    }
    guard !password.isEmpty else {
      throw fault(.usage, "cli.empty-password", ofInput: "cli.empty-input")
    }
    return Credential(password: password)
  }
}

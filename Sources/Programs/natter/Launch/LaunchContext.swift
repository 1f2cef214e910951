import API
import Configuration
import ConnectionService
import Crypto
import Diagnostics
import FoundationEssentials
import Glibc
import HTTP
import NatterCore
import SessionService
import Sockets
import Storage
import TOML
import Text
import ViewModels
import XMPP

/// The base of every way to run the program: paths, texts, settings, log, accounts, connections.
struct LaunchContext {
  let options: CommandLineOptions
  let environment: [String: String]
  let resources: URL
  private(set) var localizer: Localizer
  let paths: Paths
  let settings: Settings
  /// The mistakes in the configuration; the rest of it is used.
  let mistakes: [FileProblem]
  let log: Log
  let accounts: any AccountStoring
  let credentials: SessionCredentials
  let connector: StreamConnector
  /// The ways in which the accounts were signed in to.
  let signIns: SignInFile
  let identity: ClientIdentity
  let crypto: CryptoLibrary
  let web = WebClients()
  /// The secret of `--password-file`, where the full screen was started with one.
  var given: Credential?

  /// Nothing is written or made by it.
  /// - Throws: `CommandFailure` with a sentence and the exit code.
  init(
    options: CommandLineOptions, environment: [String: String], resources: URL,
    localizer: Localizer
  ) throws {
    self.options = options
    self.environment = environment
    self.resources = resources
    self.localizer = localizer
    do {
      paths = try Paths(
        environment: environment, profile: options.profile, config: options.config)
    } catch { throw Self.failure(error, localizer) }
    let loaded = try Self.settings(options, paths, localizer, resources)
    settings = loaded.settings
    mistakes = loaded.problems
    // The environment's language was for what went wrong before the settings could be read.
    self.localizer = try Self.localizer(
      options, settings, paths, environment, resources, else: localizer)
    log = Self.log(options, settings, paths)

    let log = log
    let command = settings.account.passwordCommand
    let file = CredentialFile(path: paths.data.appending(path: "credentials").path) {
      log.warning("credentials: \($0.key)")
    }
    var kept: any CredentialStoring = file
    if settings.account.secrets == .desktop {
      kept =
        SecretServiceStore()
        ?? MissingSecretService(file: file, exemptDomain: LocalAccounts.domain)
    }
    credentials = SessionCredentials(
      over: CredentialSource(
        file: kept,
        command: command.isEmpty ? nil : PasswordCommand(command),
        address: settings.account.address, exemptDomain: LocalAccounts.domain))
    accounts = AccountFile(path: Self.accountList(paths).path)

    crypto = CryptoLibrary()
    identity = ClientIdentity(crypto: crypto, privacy: settings.privacy)
    let (crypto, seed) = (crypto, ClientIDFile(path: paths.data.appending(path: "client-id").path))
    signIns = SignInFile(path: paths.data.appending(path: "sign-ins").path)
    let nameServers = NameServers(at: environment["NATTER_NAME_SERVER"])
    connector = StreamConnector(
      crypto: crypto, resolver: Resolver(query: { await nameServers.services($0, limit: $1) }),
      log: log.category("connection"),
      language: localizer.tag, memory: signIns,
      userAgent: { ClientIdentity.userAgent(of: $0, seed: seed, crypto) })
  }

  /// Makes the directories that are written to: once it is certain that there is something to do.
  /// - Throws: `CommandFailure` that names the one that cannot be used.
  func prepareDirectories() throws {
    do { try paths.prepare() } catch { throw Self.failure(error, localizer) }
  }

  private static func failure(_ error: PathError, _ localizer: Localizer) -> CommandFailure {
    CommandFailure(code: error.code, text: localizer(error.key, error.arguments))
  }

  /// The folders with languages.
  var localeFolders: [URL] {
    LanguageChoice.folders(resources: resources, config: paths.config)
  }

  /// The problems in the user's own texts of the current language.
  var languageMistakes: [FileProblem] { LanguageMistakes.all(of: localizer.tag, in: localeFolders) }

  // MARK: - Accounts

  /// The file that says which accounts there are.
  var accountList: URL { Self.accountList(paths) }

  private static func accountList(_ paths: Paths) -> URL {
    paths.data.appending(path: "accounts.toml")
  }

  var choice: AccountChoice {
    AccountChoice(
      options: options, settings: settings, accounts: accounts, credentials: credentials,
      localizer: { localizer($0, $1) })
  }

  /// - Parameter onSecretLeft: as `SignIn` has it.
  func signIn(
    onSecretLeft: @escaping @Sendable (JID, any Error) async -> Void = { _, _ in },
    onWebTrouble: @escaping @Sendable (StatusNotice) async -> Void = { _ in }
  ) -> SignIn {
    SignIn(
      accounts: accounts, credentials: credentials, probe: connector,
      web: signInWeb, onSecretLeft: onSecretLeft,
      onWebTrouble: { [log, localizer] jid, problem in
        // Without the server's text: it may repeat what was sent.
        log.warning("the sign-in over HTTP did not work: \(problem.kind)")
        await onWebTrouble(StatusNotice(webTrouble: problem, of: jid, localizer))
      })
  }

  var tokens: TokenClient {
    TokenClient(client: { [web] in web.client(caFile: $0) }, crypto: crypto)
  }

  private var signInWeb: SignIn.Web { SignIn.Web(discovery: discovery, tokens: tokens) }

  /// Renews what accounts are signed in to with.
  var renewal: TokenRenewal {
    TokenRenewal(tokens: tokens, web: signInWeb, probe: connector)
  }

  /// Signing in with a browser; what is not to be remembered is kept for this run.
  /// - Parameter signIn: what keeps the account and its token.
  func browserSignIn(_ signIn: SignIn) -> BrowserSignIn {
    let (thanks, sorry) = (localizer("browser-page.thanks"), localizer("browser-page.sorry"))
    return BrowserSignIn(
      discovery: discovery, tokens: tokens, signIn: signIn, probe: connector,
      listen: { try LoopbackRedirect(thanks: thanks, sorry: sorry) },
      onGranted: { [credentials] request in
        guard !request.remembersCredential else { return }
        await credentials.keep(request.credential, for: request.account.jid)
      })
  }

  var discovery: LoginDiscovery {
    LoginDiscovery(
      client: { [web] in web.client(caFile: $0) },
      onTrouble: { [log] host, error in
        let problem = ConnectionProblem(error, host: host, port: 0)
        log.info("no sign-in over HTTP found at \(host): \(problem.kind)")
      })
  }

  /// The database of an account of this profile. Nothing else may have it open.
  /// - Parameter patience: how long to wait for another Natter that has it: it may be ending.
  /// - Throws: `StorageError`.
  func openDatabase(of account: JID, patience: LockRetryPolicy = LockRetryPolicy()) async throws
    -> AccountDatabase
  {
    let (file, holder) = (databaseFile(of: account).path, AccountRelease(of: account, self))
    return try await patience.open(asking: holder.ask) { try await AccountDatabase.open(at: file) }
  }

  /// Renames a damaged database, so that the next opening creates a new one.
  /// - Throws: `StorageError`.
  func setDatabaseAside(of account: JID) throws {
    let name = try AccountDatabase.setAside(databaseFile(of: account).path)
    log.warning("database set aside as \(name)")
  }

  /// Leaves word for the Natter that has the account's database that this one takes it over.
  /// - Throws: `StorageError`.
  func claimDatabase(of account: JID) throws {
    try AccountDatabase.claim(databaseFile(of: account).path)
  }

  /// Ends the Natter that holds the account's database, and waits for that for a limited time.
  func end(_ holder: Int32, of account: JID) async {
    do { try claimDatabase(of: account) } catch {
      // It ends without knowing why.
      log.warning("taking over \(account): \(error)")
    }
    // SIGTERM: it saves what was being typed, closes its database and gives its terminal back.
    kill(holder, SIGTERM)
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline, kill(holder, 0) == 0 {
      // The lock has no notification when it is released, so this polls for a moment.
      do { try await Task.sleep(for: .milliseconds(50)) } catch { return }
    }
  }

  /// The process id of the Natter that is taking over the account's database from this one.
  func claimant(of account: JID) -> Int32? {
    AccountDatabase.claimant(of: databaseFile(of: account).path)
  }

  func databaseFile(of account: JID) -> URL {
    paths.data.appending(path: "accounts").appending(path: AccountDatabase.fileName(of: account))
  }

  /// Everything that works for `account`.
  /// - Parameters: `resource`, `nil`: a name of its own; `identity`, `nil`: that of a screen.
  func services(
    for account: Account, database: AccountDatabase, credentials: any CredentialStoring,
    hub: EventHub, resource: String? = nil, as identity: ClientIdentity? = nil
  ) throws -> AccountServices {
    AccountServices(
      account: account, database: database, credentials: credentials,
      renewal: renewal,
      connector: account.isLocal ? LocalAccounts(context: self).connector : connector,
      identity: identity ?? self.identity, localizer: localizer,
      languages: LanguageChoice.read(besides: localizer.tag, environment),
      avatars: AvatarCache(folder: paths.cache.appending(path: "avatars"), crypto: crypto),
      web: web.client(caFile: account.caFile),
      transfers: files.options(
        automaticMegabytes: settings.files.automatic ?? 0, isLocal: account.isLocal), hub: hub,
      log: log, privacy: (identity ?? self.identity).privacy,
      // The account's other clients see it: it names the program, and not the machine.
      resource: resource ?? "Natter.\(randomIdentifier(byteCount: 4))")
  }

  var files: UserFiles {
    UserFiles(
      environment: environment, folder: settings.files.folder, opener: settings.files.opener,
      thumbnails: thumbnails, crypto: crypto)
  }

  /// The folder for thumbnails that came with messages.
  var thumbnails: URL { paths.cache.appending(path: "thumbnails") }

  // MARK: - Settings and log

  static func settings(
    _ options: CommandLineOptions, _ paths: Paths, _ localizer: Localizer, _ resources: URL
  ) throws -> (settings: Settings, problems: [FileProblem]) {
    let file = paths.configurationFile
    // Named on purpose: to go on without it would hide the mistake.
    if let named = options.config, !FileManager.default.isReadableFile(atPath: file.path) {
      throw CommandFailure(
        code: .badConfiguration, text: localizer("cli.unreadable-file", ["path": named]))
    }
    // Without a file there is nothing to check names against.
    guard FileManager.default.fileExists(atPath: file.path) else { return (Settings(), []) }
    let names = LanguageChoice.names(
      in: LanguageChoice.folders(resources: resources, config: paths.config),
      themes: ThemeLibrary.standard(paths: paths, resources: resources).names)
    let read = ConfigurationFile(names: names, file: file.lastPathComponent).read(at: file.path)
    if let named = options.config, let whole = read.problems.first(where: { $0.line == nil }) {
      // Without it nothing is begun: that the defaults are used would not be true.
      let reported = FileProblem(file: named, line: nil, whole.withoutRemedy.sentences)
      throw CommandFailure(
        code: .badConfiguration,
        text: localizer("cli.bad-configuration", ["problem": localizer(reported)]))
    }
    return read
  }

  private static func log(_ options: CommandLineOptions, _ settings: Settings, _ paths: Paths)
    -> Log
  {
    let level =
      options.logLevel.flatMap { LogLevel(rawValue: $0) }
      ?? LogLevel(rawValue: settings.log.level.rawValue) ?? .info
    return Log(to: LogFile(path: paths.state.appending(path: "natter.log").path), level: level)
  }
}

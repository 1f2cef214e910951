import Configuration
import Crypto
import FoundationEssentials
import Glibc
import NatterCore
import SessionService
import Storage
import Text
import ViewModels
import XMPP

/// The account of a command that works through the bridge, and the ways to it.
struct BridgeAccess {
  let context: LaunchContext
  let account: Account
  private let control: ServeControl
  /// The accounts that scripts work with; `nil`: this process runs none.
  var scripted: AccountBridges?

  /// - Throws: `CommandFailure` when there is no account.
  init(_ context: LaunchContext, _ control: ServeControl) async throws {
    self.context = context
    self.control = control
    guard let account = try await context.choice.account() else {
      throw CommandFailure(code: .noPermission, text: context.localizer("cli.no-account"))
    }
    if let given = try context.choice.givenCredential(allowsStandardInput: false) {
      await context.credentials.keep(given, for: account.jid)
    }
    self.account = try await LocalAccounts(context: context).known(account) ?? account
  }

  private init(_ context: LaunchContext, of account: Account) {
    (self.context, self.account, control) = (context, account, ServeControl())
  }

  /// Ends when a client asks the process to end.
  var life: AsyncStream<Never> { control.life }

  /// Returns the account that was named or, without a name, all that are signed in here, the
  /// default one first.
  /// - Throws: `CommandFailure` when there is no account.
  static func all(_ context: LaunchContext) async throws -> [BridgeAccess] {
    let first = try await BridgeAccess(context, ServeControl())
    guard context.options.account == nil, !context.options.isLocal else { return [first] }
    let others = try await context.accounts.accounts().filter {
      $0.jid.bare != first.account.jid.bare
    }
    return [first] + others.map { BridgeAccess(context, of: $0) }
  }

  private var file: String { context.databaseFile(of: account.jid).path }

  /// - Parameters:
  ///   - isOffline: never opens the account here.
  ///   - listensAnyway: has a socket, whatever the settings say.
  func gateway(isOffline: Bool, listensAnyway: Bool = false) -> AccountGateway {
    let (file, access) = (file, self)
    let socket = BridgeSocket(of: account.jid, context)
    var open: (@Sendable () async throws -> any AccountOwning)?
    if !isOffline { open = { try await access.opened(listensAnyway: listensAnyway) } }
    let means = AccountGateway.Means(
      connect: { await socket.connect() }, open: open,
      isFree: { (try? AccountDatabase.checkUnused(file)) != nil },
      read: { try await access.stored() }, version: { Self.version(of: file) })
    let gateway = AccountGateway(means)
    control.set(gateway: gateway)
    return gateway
  }

  /// Indicates whether there is stored data that can be read.
  var hasStoredData: Bool {
    get async throws {
      guard let database = try await AccountDatabase.openReading(at: file) else { return false }
      await database.close()
      return true
    }
  }

  private func stored() async throws -> StoredBridge? {
    guard let database = try await AccountDatabase.openReading(at: file) else { return nil }
    let localizer = context.localizer
    let originIDs = BridgeComposition.natter.originIDs(account.jid, localizer)
    return StoredBridge(
      account.jid,
      bridge: BridgeComposition.natter.reading(
        database, account.jid, localizer, StoredHost(context, database.settings),
        ProgramRights(context)),
      spool: MessageSpool(besideDatabase: file), originIDs: originIDs, texts: { localizer($0) }
    ) { await database.close() }
  }

  /// The sizes and times of a database and its log.
  nonisolated private static func version(of file: String) -> [Int] {
    [file, file + "-wal"].flatMap { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return [0] }
      return [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }
  }

  /// Opens the account here.
  /// - Throws: `StorageError`; `CommandFailure` without a secret for the account.
  private func opened(listensAnyway: Bool) async throws -> OwnedAccount {
    try AccountDatabase.checkUnused(file)
    guard try await context.credentials.credential(for: account.jid) != nil else {
      throw CommandFailure(
        code: .noPermission,
        text: context.localizer("cli.no-credential", ["address": account.jid.description]))
    }
    let database = try await context.openDatabase(of: account.jid, patience: .none)
    let services: AccountServices
    do {
      services = try context.services(
        for: account, database: database, credentials: context.credentials, hub: EventHub(),
        as: ClientIdentity(
          crypto: context.crypto, privacy: context.settings.privacy, isHeadless: true))
    } catch {
      await database.close()
      throw error
    }
    let host = StoredHost(context, database.settings)
    let bridge = BridgeComposition.natter.running(
      services, control, host, ProgramRights(context))
    let isWanted = listensAnyway || context.settings.bridge.listens
    let owner = OwnedAccount(
      services, bridge: bridge,
      listener: BridgeListener(
        path: isWanted ? BridgeSocket(of: account.jid, context).path : nil, bridge: bridge,
        log: context.log)
    ) { [scripted, account] in scripted?.remove(account.jid) }
    scripted?.add(AccountBridges.Open(services, host: host))
    control.set(owner: owner)
    return owner
  }
}

import ConnectionService
import FoundationEssentials
import Glibc
import NatterCore
import PeopleService
import SendService
import SessionService
import Storage
import Terminal
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
      (account, credentials) = try await context.signedInAccount()
      if !context.isForOneAccount {
        others = try await context.signedInAccounts().map(\.jid.bare)
          .filter { $0 != account.jid.bare }
      }
    }
    let hub = EventHub()
    let database = try await context.openDatabase(of: account.jid)
    let services = try context.services(
      for: account, database: database, credentials: credentials, hub: hub)
    let format = ItemFormat(
      localizer: context.localizer, glyphs: .ascii, account: account.jid,
      usesTwelveHours: context.usesTwelveHours)
    let session = PlainSession(
      account: account, others: others,
      ports: PlainSession.PlainPorts(
        timeline: database.messages, conversations: database.conversations,
        roster: database.roster, sending: services.outbox, relating: services.outbox,
        people: services.roster, presence: services.presence,
        connection: services.connection, reading: services.readState,
        rooms: services.rooms, files: services.files,
        absolute: { [files = context.files] in files.absolute($0) },
        isFile: { [files = context.files] in files.isFile($0) }),
      format: format)
    let events = hub.events()
    let input = LineInput(descriptor: STDIN_FILENO)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await services.run() }
      group.addTask { await session.follow(events) }
      for await line in input.lines {
        guard await session.take(line) else { break }
      }
      input.end()
      await services.connection.goOffline()
      group.cancelAll()
    }
    await database.close()
    return ExitCode.done.rawValue
  }
}

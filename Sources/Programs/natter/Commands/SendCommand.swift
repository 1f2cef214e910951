import ConnectionService
import Diagnostics
import FoundationEssentials
import Glibc
import MessagingService
import NatterCore
import RoomService
import SessionService
import Storage
import Terminal
import Text
import ViewModels
import XMPP

/// `natter send JID [TEXT...]`: queues a message, and ends once the server has it.
struct SendCommand {
  let context: LaunchContext
  /// The time after which the command gives up; the message stays queued for the next start.
  nonisolated static let limit = Duration.seconds(60)
  /// The lowest rate in bytes per second at which servers accept data: ejabberd's default is 3,000.
  private nonisolated static let slowestIntake = 2_500
  var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  func run(to address: String, text: String?) async throws {
    let localizer = context.localizer
    let checked = SentText(localizer: localizer)
    let recipient = try checked.recipient(address)
    if text == nil, context.options.passwordFile == "-" {
      throw CommandFailure(code: .usage, text: localizer("cli.one-input"))
    }
    if text == nil, isatty(STDIN_FILENO) != 0 {
      StandardStreams.printError(localizer("cli.type-message"))
    }
    let body = try text.map { try checked.text(Array($0.utf8)) } ?? readBody()
    guard !body.allSatisfy(\.isWhitespace) else {
      throw CommandFailure(code: .usage, text: localizer("cli.empty-message"))
    }
    let (account, credentials) = try await context.signedInAccount()
    try checked.check(recipient, from: account.jid)
    let hub = EventHub()
    let database: AccountDatabase
    do {
      database = try await context.openDatabase(of: account.jid, patience: .none)
    } catch StorageError.locked {
      // The full screen has the database open, and sends the message if it listens. Otherwise it
      // goes over a separate connection, and the archive brings it to the screen later; without a
      // connection, it is left for the screen to send.
      let sending = SocketSending(command: self, account: account)
      if try await sending.send(body, to: recipient) { return }
      return try await sendDirectly(body, to: recipient, account, credentials)
    }
    let services = try context.services(
      for: account, database: database, credentials: credentials, hub: hub)
    let addressee = try await addressee(recipient, services, database)
    let visit = RoomVisit(command: self, account: account, credentials: credentials)
    do {
      if try await sendAsVisitor(body, to: addressee, services, visit) {
        return await database.close()
      }
    } catch {
      await database.close()
      throw error
    }
    let format = ItemFormat(localizer: localizer, account: account.jid)
    let events = hub.events()
    let conversation = try await SentConversation(addressee, in: database.conversations)
    let message = try await services.outbox.send(body, to: addressee)
    let limit = Self.limit(for: try await database.outbox.queued().map(\.body))
    let outcome = await result(
      within: limit, orElse: SendOutcome.timedOut, running: { await services.run() },
      closing: { await services.connection.goOffline() }
    ) {
      let outcome = await Self.outcome(of: message, in: events, format)
      switch outcome {
      case .accepted: return await services.verdict(on: [message.id])
      case .failed(let reason) where await services.outbox.isOversized(message):
        return .oversized(reason)
      default: return outcome
      }
    }
    await withdraw(conversation, [message.id], after: outcome, database)
    await database.close()
    try settle(outcome, waiting: localizer("cli.send-queued"))
  }

  /// The time that the server may take for all of `bodies`, including rate limiting. Messages
  /// beyond the usual size limit hardly reach it.
  nonisolated static func limit(for bodies: [String]) -> Duration {
    let bytes = bodies.map(\.utf8.count).filter { $0 <= StanzaLimit.usual.bytes }.reduce(0, +)
    return limit + .seconds(bytes / slowestIntake)
  }

  /// The recipient of something for `address`.
  /// - Throws: `CommandFailure` for a room that the user has not joined, or an occupant of it.
  func addressee(
    _ address: JID, _ services: AccountServices, _ database: AccountDatabase
  ) async throws -> JID {
    let recipient = try await services.recipient(address)
    guard let reason = await services.refusal(outside: recipient) else { return recipient }
    await database.close()
    throw CommandFailure(code: .failed, text: reason)
  }

  private nonisolated static func outcome(
    of message: Message, in events: AsyncStream<DomainEvent>, _ format: ItemFormat
  ) async -> SendOutcome {
    var wasOnline = false
    for await event in events {
      switch event {
      case .messagesChanged(let changed):
        switch changed.last(where: { $0.id == message.id })?.delivery {
        case .sent, .delivered, .read: return .accepted
        case .failed(let reason): return .failed(reason)
        default: break
        }
      case .roomsChanged(let rooms):
        if let outcome = SendOutcome(of: message.conversation, in: rooms, format) {
          return outcome
        }
      case .connectionChanged(.online): wasOnline = true
      // The policy violation may concern an earlier message, or this one: the next sessions show
      // which, and nothing is lost meanwhile.
      case .connectionChanged(.waiting(_, let problem))
      where problem.kind == .policyViolation && wasOnline:
        break
      case .connectionChanged(.refused(let problem)),
        .connectionChanged(.waiting(_, let problem)):
        return .notConnected(problem)
      default: break
      }
    }
    return .timedOut
  }

  /// Takes a new conversation out of the list again if the server refused what was sent, or would
  /// refuse it for its size.
  func withdraw(
    _ conversation: SentConversation, _ messages: [Message.ID], after outcome: SendOutcome,
    _ database: AccountDatabase
  ) async {
    guard outcome.isRefusal else { return }
    // The command reports the refusal in any case.
    do {
      try await conversation.withdraw(Set(messages), from: database.conversations)
    } catch { context.log.error("a refused message is still in the list: \(error)") }
  }

  /// - Parameter waiting: the sentence about what happens to an unsent message.
  func settle(_ outcome: SendOutcome, waiting: String) throws {
    let localizer = context.localizer
    switch outcome {
    case .accepted: break
    case .failed(let reason):
      throw CommandFailure(
        code: .failed, text: localizer("cli.send-refused", ["reason": reason]))
    case .oversized(let reason):
      throw CommandFailure(
        code: .badData, text: localizer("cli.send-oversized", ["reason": reason]))
    case .notShared(let reason):
      throw CommandFailure(
        code: .failed, text: localizer("cli.send-not-shared", ["reason": reason]))
    case .notConnected(let problem):
      throw CommandFailure(
        code: ExitCode(problem),
        text: ErrorText(problem, localizer: localizer).lines.joined(separator: "\n") + "\n"
          + waiting)
    case .interrupted(let number): throw Self.stopped(number, waiting)
    case .timedOut:
      throw CommandFailure(
        code: .temporary,
        text: localizer("cli.send-timeout") + "\n" + waiting)
    }
  }

  private func sendDirectly(
    _ body: String, to recipient: JID, _ account: Account, _ credentials: any CredentialStoring
  ) async throws {
    var entry = MessageSpool.Entry(
      originID: IdentifierSource().next(), recipient: recipient, body: body, typedAt: Date())
    let stream: any LiveStream
    do { stream = try await visit(account, credentials) } catch let problem as ConnectionProblem {
      return try settle(.notConnected(problem), waiting: handOver(entry, of: account))
    }
    entry.attemptedAt = Date()
    let id = entry.originID
    let visit = directSending(over: stream, account)
    let outcome = await result(
      within: Self.limit(for: [body]), orElse: SendOutcome.timedOut,
      running: { await stream.run() }, closing: { await stream.close() }
    ) { await visit.send(body, id: id, to: recipient) }
    switch outcome {
    case .accepted, .failed, .oversized, .notShared, .interrupted: try settle(outcome, waiting: "")
    case .notConnected, .timedOut: try settle(outcome, waiting: handOver(entry, of: account))
    }
  }

  /// Hands a message that could not be sent to the instance that has the account.
  /// - Returns: a sentence about what happens to it.
  func handOver(_ entry: MessageSpool.Entry, of account: Account) -> String {
    do {
      try MessageSpool(besideDatabase: context.databaseFile(of: account.jid).path).leave(entry)
      return context.localizer("cli.send-handed")
    } catch {
      context.log.error("a message could not be left for the full screen: \(error)")
      let reason = NatterError(reporting: error, orElse: .storage, key: "error.storage.write")
      return context.localizer(reason.key, reason.arguments) + "\n"
        + context.localizer("cli.send-not-kept")
    }
  }

  /// Sends over `stream`, and reports refused messages to the instance that has the account.
  func directSending(over stream: any LiveStream, _ account: Account) -> DirectSending {
    let spool = MessageSpool(besideDatabase: context.databaseFile(of: account.jid).path)
    let log = context.log
    return DirectSending(stream: stream, account: account.jid, localizer: context.localizer) {
      refused in
      // The command reports the refusal, even if it cannot be stored.
      do { try spool.leave(refused) } catch {
        log.error("a refused message could not be left for the full screen: \(error)")
      }
    }
  }

  /// A session beside that of the instance that has the account: with another resource, so that the
  /// server ends neither, and without presence, so that no messages are sent to it.
  func visit(
    _ account: Account, _ credentials: any CredentialStoring
  ) async throws -> any LiveStream {
    guard let credential = try await credentials.credential(for: account.jid) else {
      throw CommandFailure(
        code: .noPermission,
        text: context.localizer("cli.no-credential", ["address": account.jid.description]))
    }
    let connector = context.connector
    return try await context.credentialUse(of: account).signedIn(with: credential) {
      try await connector.connect(account, $0, resource: nil, progress: { _ in })
    }
  }

  /// All of standard input as text.
  func readBody() throws -> String {
    let bytes =
      (try? StandardStreams.readAll(from: STDIN_FILENO, limit: SentText.limit + 1)) ?? []
    let text = try SentText(localizer: context.localizer).text(bytes)
    // The newline after the last line is the shell's, not the message's.
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}

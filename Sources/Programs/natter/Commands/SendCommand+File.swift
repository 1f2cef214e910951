import ConnectionService
import Diagnostics
import FileService
import FoundationEssentials
import Glibc
import MessagingService
import NatterCore
import RoomService
import Storage
import System
import Terminal
import Text
import ViewModels
import XMPP

/// `natter send --file PATH JID [TEXT...]`: sends a file, then the text, and ends once the server
/// has both.
extension SendCommand {
  func run(to address: String, file path: String, text: String?) async throws {
    let localizer = context.localizer
    let checked = SentText(localizer: localizer)
    let recipient = try checked.recipient(address)
    let caption = try text == "-" ? readBody() : text.map { try checked.text(Array($0.utf8)) }
    if let caption, caption.isEmpty {
      throw CommandFailure(code: .usage, text: localizer("cli.empty-message"))
    }
    let file = MessageSpool.File(
      originID: IdentifierSource().next(), recipient: recipient,
      path: context.files.absolute(path), text: caption, begun: Date())
    let (account, credentials) = try await context.signedInAccount()
    try checked.check(recipient, from: account.jid)
    let database: AccountDatabase
    do {
      database = try await context.openDatabase(of: account.jid, patience: .none)
    } catch StorageError.locked {
      // Another instance has the account, and sends the file: so it knows what was sent where, and
      // continues if this program ends. If that instance ends first, this program sends it.
      guard let free = try await handOver(file, of: account) else { return }
      database = free
    }
    try await share(file, account, credentials, database)
  }

  private func share(
    _ file: MessageSpool.File, _ account: Account, _ credentials: any CredentialStoring,
    _ database: AccountDatabase
  ) async throws {
    let localizer = context.localizer
    let hub = EventHub()
    let services = try context.services(
      for: account, database: database, credentials: credentials, hub: hub)
    let addressee = try await addressee(file.recipient, services, database)
    let visit = RoomVisit(command: self, account: account, credentials: credentials)
    do { try await refuseVisit(to: addressee, services, visit) } catch {
      await database.close()
      throw error
    }
    let conversation = try await SentConversation(addressee, in: database.conversations)
    let news = hub.events()
    // From here on the next instance that opens the account would retry it.
    let signals = StopSignals()
    defer { signals.release() }
    let transfer: FileTransfer
    do {
      transfer = try await services.files.share(
        file.path, with: addressee, text: file.text, originID: file.originID)
    } catch {
      await database.close()
      throw refusal(error)
    }
    if transfer.state == .done {
      // A previous instance has offered it, and ended before it knew whether the server has the
      // message.
      await database.close()
      return try settle(.timedOut, waiting: localizer("cli.send-queued"))
    }
    let line = ProgressLine()
    let follower = FileSending(
      transfer: transfer, format: ItemFormat(localizer: localizer, account: account.jid)
    ) { await line.show($0, $1) }
    var isKept = false
    let outcome = await withTaskGroup(of: SendOutcome?.self) { group in
      group.addTask {
        await services.run()
        return nil
      }
      group.addTask {
        let outcome = await follower.follow(news)
        guard case .accepted = outcome else { return outcome }
        return await services.verdict(on: await follower.messages)
      }
      group.addTask { await timeLimit { await follower.pulse } }
      group.addTask { await interruption(signals) }
      var outcome: SendOutcome?
      while outcome == nil, let next = await group.next() { outcome = next }
      switch outcome {
      case .notShared, .interrupted:
        // The user knows that it failed, or cancelled it: it is not retried without their
        // knowledge. If that is too late, the file was shared.
        do { try await services.files.cancel(transfer.id) } catch { isKept = true }
        signals.release()
      default: break
      }
      await services.connection.goOffline()
      group.cancelAll()
      return outcome ?? .timedOut
    }
    line.end()
    await withdraw(conversation, await follower.messages, after: outcome, database)
    await database.close()
    let waiting =
      await follower.isShared
      ? localizer("cli.send-queued") : localizer("cli.send-file-queued", ["path": transfer.path])
    if case .interrupted(let number) = outcome {
      throw Self.stopped(
        number, isKept ? waiting : localizer("cli.send-stopped", ["name": transfer.name]))
    }
    try settle(outcome, waiting: waiting)
  }

  /// Waits for a signal that ends the command.
  func interruption(_ signals: StopSignals) async -> SendOutcome? {
    for await number in signals.numbers { return .interrupted(number) }
    return nil
  }

  /// - Parameter number: the signal.
  static func stopped(_ number: Int32, _ text: String) -> CommandFailure {
    CommandFailure(code: number == SIGTERM ? .terminated : .interrupted, text: text)
  }

  /// Waits until nothing has happened for as long as `limit`; there is no limit while something
  /// moves.
  /// - Parameter pulse: returns a number that grows with each event.
  func timeLimit(_ pulse: @Sendable () async -> Int) async -> SendOutcome? {
    var seen = -1
    while true {
      let now = await pulse()
      guard now != seen else { return .timedOut }
      seen = now
      do { try await sleep(Self.limit) } catch { return nil }
    }
  }

  func refusal(_ error: any Error) -> CommandFailure {
    let reported = NatterError(reporting: error, key: "error.files.upload")
    // A path that cannot be read is wrong usage; unsuitable contents of a readable file are bad
    // data.
    let isUnreadable = [
      "error.files.missing", "error.files.forbidden", "error.files.noFile", "error.files.folder",
    ].contains(reported.key)
    return CommandFailure(
      code: isUnreadable ? .usage : reported.kind == .invalidInput ? .badData : .failed,
      text: context.localizer(reported.key, reported.arguments))
  }
}

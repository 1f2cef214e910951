import ConnectionService
import Diagnostics
import FileService
import FoundationEssentials
import Glibc
import NatterCore
import RoomService
import SendService
import Storage
import Terminal
import ViewModels
import XMPP

/// `natter send --file PATH JID [TEXT...]`: sends a file, then the text, and ends once the server has both.
extension SendCommand {
  func run(to address: String, file path: String, text: String?) async throws {
    let localizer = context.localizer
    guard let recipient = JID(userInput: address)?.bare else {
      throw CommandFailure(code: .usage, text: localizer("cli.bad-address", ["address": address]))
    }
    let words = try text == "-" ? readBody() : text
    if let words, words.isEmpty {
      throw CommandFailure(code: .usage, text: localizer("cli.empty-message"))
    }
    let (account, credentials) = try await context.signedInAccount()
    let database: AccountDatabase
    do {
      database = try await context.openDatabase(of: account.jid, patience: .none)
    } catch StorageError.locked {
      // The full screen has it. The file goes its own way; the archive brings the message to the screen later.
      return try await shareDirectly(path, words, to: recipient, account, credentials)
    }
    let hub = EventHub()
    let services = try context.services(
      for: account, database: database, credentials: credentials, hub: hub)
    try await refuseOutside(recipient, services, database)
    let news = hub.events()
    // From here on it would be tried again by whoever opens the account next.
    let signals = StopSignals()
    defer { signals.release() }
    let transfer: FileTransfer
    do {
      transfer = try await services.files.share(
        context.files.absolute(path), with: recipient, words: words)
    } catch {
      await database.close()
      throw refusal(error)
    }
    let follower = FileSending(
      transfer: transfer, format: ItemFormat(localizer: localizer, account: account.jid))
    var isKept = false
    let outcome = await withTaskGroup(of: Outcome?.self) { group in
      group.addTask {
        await services.run()
        return nil
      }
      group.addTask {
        let outcome = await follower.follow(news)
        guard case .accepted = outcome else { return outcome }
        return await Self.verdict(on: follower.messages, services)
      }
      group.addTask { await timeLimit(of: follower) }
      group.addTask { await interruption(signals) }
      var outcome: Outcome?
      while outcome == nil, let next = await group.next() { outcome = next }
      switch outcome {
      case .notShared, .interrupted:
        // The person has heard of it, or wants it no more: it is not tried again behind his back. Where that is too late it was
        // shared.
        do { try await services.files.cancel(transfer.id) } catch { isKept = true }
        signals.release()
      default: break
      }
      await services.connection.goOffline()
      group.cancelAll()
      return outcome ?? .timedOut
    }
    follower.line.end()
    await database.close()
    let waiting =
      follower.isShared
      ? localizer("cli.send-queued") : localizer("cli.send-file-queued", ["path": transfer.path])
    if case .interrupted(let number) = outcome {
      throw Self.stopped(
        number, isKept ? waiting : localizer("cli.send-stopped", ["name": transfer.name]))
    }
    try settle(outcome, waiting: waiting)
  }

  /// Waits until the person, or whoever started the command, wants no more of it.
  private func interruption(_ signals: StopSignals) async -> Outcome? {
    for await number in signals.numbers { return .interrupted(number) }
    return nil
  }

  /// - Parameter number: the signal.
  static func stopped(_ number: Int32, _ text: String) -> CommandFailure {
    CommandFailure(code: number == SIGTERM ? .terminated : .interrupted, text: text)
  }

  /// Shares a file over a session of its own: nothing of it is kept.
  private func shareDirectly(
    _ path: String, _ words: String?, to recipient: JID, _ account: Account,
    _ credentials: any CredentialStoring
  ) async throws {
    let stream = try await visit(account, credentials)
    let localizer = context.localizer
    let memory = try await AccountDatabase.inMemory()
    let hub = EventHub()
    let queue = TransferQueue(
      account: account.jid, store: memory.transfers,
      transport: context.web.client(caFile: account.caFile),
      messages: directSending(over: stream, account),
      roster: memory.roster,
      hub: hub, log: context.log, options: context.files.options(automaticMegabytes: 0))
    let news = hub.events()
    let format = ItemFormat(localizer: localizer, account: account.jid)
    let signals = StopSignals()
    defer { signals.release() }
    let outcome = await withTaskGroup(of: Swift.Result<Outcome, any Error>?.self) { group in
      group.addTask {
        await stream.run()
        return .success(.timedOut)
      }
      group.addTask {
        await queue.run()
        return nil
      }
      group.addTask {
        await queue.sessionStarted(stream.session, over: stream)
        do {
          let transfer = try await queue.share(
            context.files.absolute(path), with: recipient, words: words)
          return .success(await follow(transfer, news, format, signals))
        } catch {
          return .failure(error)
        }
      }
      var result: Swift.Result<Outcome, any Error>?
      while result == nil, let next = await group.next() { result = next }
      await stream.close()
      group.cancelAll()
      return result ?? .success(.timedOut)
    }
    await memory.close()
    switch outcome {
    case .success(let outcome): try settle(outcome, waiting: localizer("cli.send-not-kept"))
    case .failure(let error): throw refusal(error)
    }
  }

  private func follow(
    _ transfer: FileTransfer, _ news: AsyncStream<DomainEvent>, _ format: ItemFormat,
    _ signals: StopSignals
  ) async -> Outcome {
    let follower = FileSending(transfer: transfer, format: format, isDirect: true)
    defer { follower.line.end() }
    return await withTaskGroup(of: Outcome?.self) { group in
      group.addTask { await follower.follow(news) }
      group.addTask { await timeLimit(of: follower) }
      group.addTask { await interruption(signals) }
      let outcome = await group.next() ?? nil
      group.cancelAll()
      return outcome ?? .timedOut
    }
  }

  /// As long as something moves, it may take as long as it takes.
  private func timeLimit(of follower: FileSending) async -> Outcome? {
    var seen = -1
    while follower.pulse != seen {
      seen = follower.pulse
      do { try await sleep(Self.limit) } catch { return nil }
    }
    return .timedOut
  }

  private func refusal(_ error: any Error) -> CommandFailure {
    let told = NatterError(telling: error, key: "error.files.upload")
    // A name that no file can be read by is wrong usage; what is in a file that can be read is data.
    let isUnreadable = [
      "error.files.missing", "error.files.forbidden", "error.files.noFile", "error.files.folder",
    ].contains(told.key)
    return CommandFailure(
      code: isUnreadable ? .usage : told.kind == .invalidInput ? .badData : .failed,
      text: context.localizer(told.key, told.arguments))
  }
}

/// Follows one file, and the words that go with it, until the server has all of it.
@MainActor final class FileSending {
  let line = ProgressLine()
  /// Grows with everything that happens.
  private(set) var pulse = 0
  /// Whether the message that offers the file is in the outbox.
  private(set) var isShared = false
  private let transfer: FileTransfer
  private let format: ItemFormat
  /// Whether what is done is confirmed already: messages go without an outbox.
  private let isDirect: Bool
  /// The message that offers the file, and the one with the words, as far as they are in the outbox.
  private(set) var messages: [Message.ID] = []
  /// Their origin-ids.
  private let sought: Set<String>
  /// Origin-ids that the server has not confirmed.
  private var awaited: Set<String>

  init(transfer: FileTransfer, format: ItemFormat, isDirect: Bool = false) {
    self.transfer = transfer
    self.format = format
    self.isDirect = isDirect
    sought = Set([transfer.originID, transfer.wordsID].compactMap { $0 })
    awaited = sought
  }

  func follow(_ events: AsyncStream<DomainEvent>) async -> SendCommand.Outcome {
    for await event in events {
      switch event {
      case .transfersChanged(let changed):
        guard let now = changed.last(where: { $0.id == transfer.id }) else { continue }
        pulse += 1
        if case .failed(let error) = now.state {
          // Whether the other side has it then, nobody knows.
          if error.key == DirectSending.unconfirmed.key { return .timedOut }
          return .notShared(format.text(error.notice))
        }
        if isDirect, now.state == .done { return .accepted }
        line.show(now.name, format.progress(of: now))
      case .messagesStored(let stored):
        messages += stored.filter { sought.contains($0.originID ?? "") }.map(\.id)
        guard stored.contains(where: { $0.originID == transfer.originID }) else { continue }
        isShared = true
        pulse += 1
      case .messagesChanged(let changed):
        for message in changed {
          guard let originID = message.originID else { continue }
          switch message.delivery {
          case .sent, .delivered, .read: awaited.remove(originID)
          case .failed(let reason) where awaited.contains(originID): return .failed(reason)
          default: break
          }
        }
        if awaited.isEmpty { return .accepted }
      case .roomsChanged(let rooms):
        // A room that does not let the person in.
        if let room = rooms.first(where: { $0.jid == transfer.conversation }),
          room.phase == .outside, let reason = TimelineIncident.standing(in: room, format: format)
        {
          return .failed(reason)
        }
      // It may be about a message of before: the next sessions tell.
      case .connectionChanged(.waiting(_, _, let problem)) where problem.kind == .policyViolation:
        break
      case .connectionChanged(.refused(let problem)),
        .connectionChanged(.waiting(_, _, let problem)):
        return .notConnected(problem)
      default: break
      }
    }
    return .timedOut
  }
}

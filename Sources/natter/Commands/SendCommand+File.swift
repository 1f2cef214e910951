import ConnectionService
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

/// `natter send --file PATH JID [TEXT...]`: sends a file, and ends once the server has the message that offers it.
extension SendCommand {
  func run(to address: String, file path: String, text: String?) async throws {
    let localizer = context.localizer
    guard let recipient = JID(userInput: address)?.bare else {
      throw CommandFailure(code: .usage, text: localizer("cli.bad-address", ["address": address]))
    }
    let (account, credentials) = try await context.signedInAccount()
    let database: AccountDatabase
    do {
      database = try await context.openDatabase(of: account.jid, patience: .none)
    } catch StorageError.locked {
      // The full screen has it: this run keeps what it needs in memory, and the archive brings the message to the screen.
      database = try await AccountDatabase.inMemory()
    }
    let hub = EventHub()
    let services = try context.services(
      for: account, database: database, credentials: credentials, hub: hub)
    let news = hub.events()
    let transfer: FileTransfer
    do {
      transfer = try await services.files.share(context.files.absolute(path), with: recipient)
    } catch {
      await database.close()
      let told = NatterError(telling: error, key: "error.files.upload")
      throw CommandFailure(
        code: told.kind == .invalidInput ? .badData : .failed,
        text: localizer(told.key, told.arguments))
    }
    let follower = FileSending(
      transfer: transfer, text: text, services: services,
      format: ItemFormat(localizer: localizer, account: account.jid))
    let outcome = await withTaskGroup(of: Outcome?.self) { group in
      group.addTask {
        await services.run()
        return nil
      }
      group.addTask { await follower.follow(news) }
      group.addTask { [sleep] in
        // As long as something moves, it may take as long as it takes.
        var seen = -1
        while await follower.pulse != seen {
          seen = await follower.pulse
          do { try await sleep(Self.limit) } catch { return nil }
        }
        return .timedOut
      }
      var outcome: Outcome?
      while outcome == nil, let next = await group.next() { outcome = next }
      if case .failed = outcome { await services.files.cancel(transfer.id) }
      await services.connection.goOffline()
      group.cancelAll()
      return outcome ?? .timedOut
    }
    follower.line.end()
    await database.close()
    try settle(outcome)
  }
}

/// Follows one file, and the words that go with it, until the server has all of it.
@MainActor final class FileSending {
  let line = ProgressLine()
  /// Grows with everything that happens.
  private(set) var pulse = 0
  private let transfer: FileTransfer
  private let text: String?
  private let services: AccountServices
  private let format: ItemFormat
  /// Origin-ids that the server has not confirmed.
  private var awaited: Set<String> = []

  init(
    transfer: FileTransfer, text: String?, services: AccountServices, format: ItemFormat
  ) {
    self.transfer = transfer
    self.text = text
    self.services = services
    self.format = format
  }

  func follow(_ events: AsyncStream<DomainEvent>) async -> SendCommand.Outcome {
    var isQueued = false
    for await event in events {
      switch event {
      case .transfersChanged(let changed):
        guard let now = changed.last(where: { $0.id == transfer.id }) else { continue }
        pulse += 1
        if case .failed(let error) = now.state { return .failed(format.text(error.notice)) }
        line.show(now.name + "  " + format.progress(of: now))
      case .messagesStored(let stored):
        guard !isQueued, stored.contains(where: { $0.originID == transfer.originID }) else {
          continue
        }
        isQueued = true
        pulse += 1
        if let originID = transfer.originID { awaited.insert(originID) }
        if let text, let sent = try? await services.outbox.send(text, to: transfer.conversation),
          let originID = sent.originID
        {
          awaited.insert(originID)
        }
      case .messagesChanged(let changed):
        for message in changed {
          guard let originID = message.originID else { continue }
          switch message.delivery {
          case .sent, .delivered, .read: awaited.remove(originID)
          case .failed(let reason) where awaited.contains(originID): return .failed(reason)
          default: break
          }
        }
        if isQueued, awaited.isEmpty { return .accepted }
      case .connectionChanged(.refused(let problem)),
        .connectionChanged(.waiting(_, _, let problem)):
        return .notConnected(problem)
      default: break
      }
    }
    return .timedOut
  }
}

/// One line of standard error that is written again and again, where that is a terminal; nothing elsewhere.
@MainActor final class ProgressLine {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var width = 0

  func show(_ text: String) {
    guard isTerminal else { return }
    let line = SafeText.line(text)
    write("\r" + line + String(repeating: " ", count: max(0, width - line.count)))
    width = line.count
  }

  /// Takes the line away.
  func end() {
    guard isTerminal, width > 0 else { return }
    write("\r" + String(repeating: " ", count: width) + "\r")
    width = 0
  }

  private func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}

import Diagnostics
import FileService
import FoundationEssentials
import NatterCore
import RoomService
import Sockets
import Storage
import Synchronization
import System
import Text
import ViewModels
import XMPP

/// Sends the files that `natter send --file` hands off to the instance that has the account, and
/// reports their progress to it.
nonisolated struct SpooledFileSender: Sendable {
  init(spool: MessageSpool, services: AccountServices, format: ItemFormat) {
    self.spool = spool
    self.services = services
    self.format = format
  }

  let spool: MessageSpool
  let services: AccountServices
  let format: ItemFormat
  private let answers = ProgressWriter()
  /// The age in seconds at which an unread answer is deleted.
  private static let answerAge: Double = 86_400

  /// Handles existing and new requests until the task is cancelled.
  /// - Parameter watch: reports new files in a folder; `nil` where it cannot be watched.
  func run(watch: (String) -> FolderMonitor? = { FolderMonitor($0) }) async {
    // The importer of messages reports that the folder cannot be created.
    do { try spool.prepare() } catch { return }
    // Watched first, so that requests that arrive during the first read are noticed.
    let watch = watch(spool.folder)
    spool.forgetAnswers(olderThan: Self.answerAge)
    await withDiscardingTaskGroup { group in
      var taken: Set<String> = []
      var stopped: Set<String> = []
      func take() {
        for file in spool.files() where taken.insert(file.originID).inserted {
          group.addTask { await send(file) }
        }
        for id in spool.stopped() where stopped.insert(id).inserted {
          group.addTask { await stop(id) }
        }
      }
      repeat { take() } while await watch.arrives()
    }
  }

  private func send(_ file: MessageSpool.File) async {
    let id = file.originID
    guard let recipient = await recipient(of: file) else { return }
    if let reason = await services.refusal(outside: recipient) {
      return drop(file, .notShared(reason))
    }
    let news = services.hub.events()
    let transfer: FileTransfer
    switch await share(file, with: recipient) {
    // The program ends: the request stays for the next run.
    case nil: return
    case .failure(let reported):
      services.log.warning("a file of another program is not sent: \(reported.key)")
      let text = format.localizer(reported.key, reported.arguments)
      return drop(file, reported.kind == .invalidInput ? .unusable(text) : .notShared(text))
    case .success(let shared): transfer = shared
    }
    forget(file)
    if spool.stopped().contains(id) { return await stop(id) }
    let follower = FileSending(transfer: transfer, format: format) { name, progress in
      answer(.moving(name: name, progress: progress), to: id)
    }
    var outcome = await follower.follow(news, since: await messages(of: transfer))
    if Task.isCancelled { return }
    if case .accepted = outcome {
      outcome = await services.verdict(on: follower.messages)
    }
    switch outcome {
    case .accepted: answer(.accepted, to: id)
    case .failed(let reason), .oversized(let reason): answer(.refused(reason), to: id)
    case .notShared(let reason):
      // The sender already knows that they stopped it.
      if spool.stopped().contains(id) { return }
      // A sender that waits for the answer retries by itself; otherwise the file stays among the
      // failed ones, visible to the user.
      if spool.isAwaited(id) { await drop(transfer) }
      answer(.notShared(reason), to: id)
    case .notConnected(let problem):
      let lines = ErrorText(problem, localizer: format.localizer).lines
      answer(.waiting(lines.joined(separator: "\n")), to: id)
    case .interrupted, .timedOut: break
    }
  }

  /// - Returns: `nil` when the task was cancelled.
  private func recipient(of file: MessageSpool.File) async -> JID? {
    let storage = RetryingWrite(hub: services.hub) { services.log.error($0) }
    return await storage.perform("whom a file of another program is for") {
      try await services.recipient(file.recipient)
    }
  }

  /// Queues a file for upload. Waits while the disk is full, because the sender already knows that
  /// the file is queued.
  /// - Returns: `nil` when the task was cancelled.
  private func share(
    _ file: MessageSpool.File, with recipient: JID
  ) async -> Result<FileTransfer, NatterError>? {
    let storage = RetryingWrite(hub: services.hub) { services.log.error($0) }
    return await storage.perform("a file of another program") {
      () -> Result<FileTransfer, NatterError>? in
      do {
        // If the program ended before it removed the request, the same id comes again: nothing is
        // sent twice.
        return .success(
          try await services.files.share(
            file.path, with: recipient, text: file.text, originID: file.originID))
      } catch {
        if Task.isCancelled || error is CancellationError { return nil }
        let reported = NatterError(reporting: error, key: "error.files.upload")
        if reported.kind == .storage { throw reported }
        return .failure(reported)
      }
    } ?? nil
  }

  /// Returns the stored messages of a file that an earlier run offered: the server may not have
  /// them yet. `nil`: it is not offered yet.
  private func messages(of transfer: FileTransfer) async -> [Message]? {
    guard transfer.state == .done else { return nil }
    do {
      var messages: [Message] = []
      for id in [transfer.originID, transfer.textID] {
        guard let id,
          let message = try await services.database.timeline.storedMessage(
            named: id, in: transfer.conversation)
        else { continue }
        messages.append(message)
      }
      return messages
    } catch {
      // The deliveries from here on are reported all the same.
      services.log.warning("the messages of a file could not be read: \(error)")
      return nil
    }
  }

  /// Cancels a file that has not been offered yet.
  private func stop(_ id: String) async {
    // A file that is just being taken is stopped by the task that takes it.
    guard let transfer = await services.files.upload(originID: id) else { return }
    answer(.stopped(isTooLate: await !drop(transfer)), to: id)
  }

  /// - Returns: whether it was not too late.
  @discardableResult
  private func drop(_ transfer: FileTransfer) async -> Bool {
    guard transfer.state != .done else { return false }
    do {
      try await services.files.cancel(transfer.id)
      return true
    } catch {
      return false
    }
  }

  /// - Parameter word: the answer to the sender, shown on the screen if nothing waits for it any
  ///   more.
  private func drop(_ file: MessageSpool.File, _ word: MessageSpool.Answer) {
    forget(file)
    if !spool.isAwaited(file.originID) {
      switch word {
      case .unusable(let reason), .notShared(let reason): report(file, reason)
      default: break
      }
    }
    answer(word, to: file.originID)
  }

  private func report(_ file: MessageSpool.File, _ reason: String) {
    services.hub.publish(
      .notice(
        StatusNotice(
          .error, "status.notSent",
          ["name": file.path.folderless, "reason": reason])))
  }

  private func forget(_ file: MessageSpool.File) {
    do { try spool.remove(file) } catch {
      services.log.error("a file that is taken over stays in \(spool.folder): \(error)")
    }
  }

  private func answer(_ answer: MessageSpool.Answer, to id: String) {
    do { try answers.leave(answer, to: id, in: spool) } catch {
      // The waiting command gives up after a while.
      services.log.warning("another program was not told of its file: \(error)")
    }
  }
}

/// Serializes the writing of answers: progress and cancellation are reported by two tasks.
nonisolated final class ProgressWriter: Sendable {
  /// The files that have got their last answer.
  private let settled = Mutex<Set<String>>([])

  /// Writes an answer, unless the last one was written before.
  /// - Throws: `StorageError`.
  func leave(_ answer: MessageSpool.Answer, to id: String, in spool: MessageSpool) throws {
    try settled.withLock { settled in
      if case .moving = answer {
        if settled.contains(id) { return }
      } else {
        settled.insert(id)
      }
      try spool.answer(answer, to: id)
    }
  }
}

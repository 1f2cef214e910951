import Diagnostics
import FileService
import FoundationEssentials
import NatterCore
import RoomService
import Sockets
import Storage
import Synchronization
import ViewModels
import XMPP

/// Sends the files that `natter send --file` leaves to the program that has the account, and tells it how far they are.
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
  /// Answers that nobody has taken for a day are for nobody.
  private static let answerAge: Double = 86_400

  /// Takes what is there and what comes, until the task is cancelled.
  /// - Parameter watch: tells when something comes into a folder; `nil` where it cannot be watched.
  func run(watch: (String) -> FolderMonitor? = { FolderMonitor($0) }) async {
    // Whoever takes the messages there tells that it cannot be made.
    do { try spool.prepare() } catch { return }
    // Watched first: what comes while the folder is read is seen as well.
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
    // The program ends: it is there for the next one.
    case nil: return
    case .failure(let told):
      services.log.warning("a file of another program is not sent: \(told.key)")
      let text = format.localizer(told.key, told.arguments)
      return drop(file, told.kind == .invalidInput ? .unusable(text) : .notShared(text))
    case .success(let shared): transfer = shared
    }
    forget(file)
    if spool.stopped().contains(id) { return await stop(id) }
    if transfer.state == .done { return answer(.accepted, to: id) }
    let follower = FileSending(transfer: transfer, format: format) { name, progress in
      answer(.moving(name: name, progress: progress), to: id)
    }
    var outcome = await follower.follow(news)
    if Task.isCancelled { return }
    if case .accepted = outcome {
      outcome = await services.verdict(on: follower.messages)
    }
    switch outcome {
    case .accepted: answer(.accepted, to: id)
    case .failed(let reason), .oversized(let reason): answer(.refused(reason), to: id)
    case .notShared(let reason):
      // Whoever has stopped it is told so.
      if spool.stopped().contains(id) { return }
      // Whoever has heard of it tries again himself; otherwise it stays with the failed ones, which the person sees.
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
    return await storage.insist(on: "whom a file of another program is for") {
      try await services.recipient(file.recipient)
    }
  }

  /// Puts a file among those that are to be sent. A disk that is full is waited for: whoever left the file has long been told
  /// that it is kept.
  /// - Returns: `nil` when the task was cancelled.
  private func share(
    _ file: MessageSpool.File, with recipient: JID
  ) async -> Result<FileTransfer, NatterError>? {
    let storage = RetryingWrite(hub: services.hub) { services.log.error($0) }
    return await storage.insist(on: "a file of another program") {
      () -> Result<FileTransfer, NatterError>? in
      do {
        // Twice the same where this program ended before it had forgotten the file: nothing is sent twice.
        return .success(
          try await services.files.share(
            file.path, with: recipient, words: file.words, originID: file.originID))
      } catch {
        if Task.isCancelled || error is CancellationError { return nil }
        let told = NatterError(telling: error, key: "error.files.upload")
        if told.kind == .storage { throw told }
        return .failure(told)
      }
    } ?? nil
  }

  /// Has a file not sent that was not offered yet.
  private func stop(_ id: String) async {
    // One that is just being taken is stopped by whoever takes it.
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

  /// - Parameter word: for whoever left it, and for the screen where nobody waits for an answer any more.
  private func drop(_ file: MessageSpool.File, _ word: MessageSpool.Answer) {
    forget(file)
    if !spool.isAwaited(file.originID) {
      switch word {
      case .unusable(let reason), .notShared(let reason): tell(file, reason)
      default: break
      }
    }
    answer(word, to: file.originID)
  }

  private func tell(_ file: MessageSpool.File, _ reason: String) {
    services.hub.publish(
      .notice(
        StatusNotice(
          .error, "status.notSent",
          [
            "name": file.path.split(separator: "/").last.map(String.init) ?? file.path,
            "reason": reason,
          ])))
  }

  private func forget(_ file: MessageSpool.File) {
    do { try spool.remove(file) } catch {
      services.log.error("a file that is taken over stays in \(spool.folder): \(error)")
    }
  }

  private func answer(_ answer: MessageSpool.Answer, to id: String) {
    do { try answers.leave(answer, to: id, in: spool) } catch {
      // Whoever waits gives up after a while.
      services.log.warning("another program was not told of its file: \(error)")
    }
  }
}

/// Where one answer is written at a time: how far a file is, and that it was stopped, are told by two tasks.
nonisolated final class ProgressWriter: Sendable {
  /// The files of which the last word was said.
  private let settled = Mutex<Set<String>>([])

  /// Leaves an answer, unless the last one was given before.
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

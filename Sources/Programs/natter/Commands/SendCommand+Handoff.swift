import Diagnostics
import FileService
import FoundationEssentials
import Glibc
import NatterCore
import Sockets
import Storage
import System
import Terminal
import Text
import ViewModels

/// `natter send --file` while another instance has the account.
extension SendCommand {
  /// The time that the instance has to report whether it has stopped the file.
  private static let stopLimit = Duration.seconds(5)
  /// The interval of checks whether the instance still has the account: the release of a lock is
  /// not reported.
  private static let lockPause = Duration.seconds(1)

  /// Counts answers.
  private final class Pulse {
    private(set) var count = 0
    func beat() { count += 1 }
  }

  private enum Word: Sendable {
    case outcome(SendOutcome)
    case unusable(String)
    case waiting(String)
    case free(AccountDatabase)
  }

  /// Hands a file off to the instance that has the account, and waits until the server has it.
  /// - Returns: the account's database, if that instance has ended before; `nil` when all is done.
  /// - Throws: `CommandFailure`.
  func handOver(_ file: MessageSpool.File, of account: Account) async throws -> AccountDatabase? {
    let localizer = context.localizer
    let spool = MessageSpool(besideDatabase: context.databaseFile(of: account.jid).path)
    let id = file.originID
    // Before the request is left: from then on the file is sent even if this program ends.
    let signals = StopSignals()
    do {
      try TransferQueue.examine(file.path)
      try spool.expectAnswer(to: id)
      try spool.leave(file)
    } catch {
      signals.release()
      spool.forgetAnswers(to: id)
      throw refusal(error)
    }
    defer {
      signals.release()
      spool.forgetAnswers(to: id)
    }
    let line = ProgressLine()
    let pulse = Pulse()
    let word = await withTaskGroup(of: Word?.self) { group in
      group.addTask {
        await Self.lastWord(on: id, in: spool) { name, progress in
          await pulse.beat()
          if !name.isEmpty { await line.show(name, progress) }
        }
      }
      group.addTask { await timeLimit { await pulse.count }.map { .outcome($0) } }
      group.addTask { await interruption(signals).map { .outcome($0) } }
      group.addTask { await free(account).map { .free($0) } }
      var word: Word?
      while word == nil, let next = await group.next() { word = next }
      group.cancelAll()
      // A database that was opened beside the last answer is closed.
      for await other in group {
        if case .free(let database)? = other { await database.close() }
      }
      return word ?? .outcome(.timedOut)
    }
    line.end()
    switch word {
    case .free(let database):
      try spool.remove(file)
      return database
    case .unusable(let text): throw CommandFailure(code: .badData, text: text)
    case .waiting(let text):
      throw CommandFailure(code: .temporary, text: text + "\n" + localizer("cli.send-handed"))
    case .outcome(.interrupted(let number)):
      let isKept = await !stops(id, in: spool)
      throw Self.stopped(
        number,
        isKept
          ? localizer("cli.send-handed")
          : localizer("cli.send-stopped", ["name": SafeText.line(file.path.folderless)]))
    case .outcome(let outcome): try settle(outcome, waiting: localizer("cli.send-handed"))
    }
    return nil
  }

  /// Reads answers until the last one.
  private nonisolated static func lastWord(
    on id: String, in spool: MessageSpool,
    moving: @Sendable (_ name: String, _ progress: String) async -> Void
  ) async -> Word? {
    // Watched first, so that answers during the first read are noticed.
    let watch = FolderMonitor(spool.folder)
    var last: MessageSpool.Answer?
    repeat {
      guard let answer = spool.answer(to: id), answer != last else { continue }
      last = answer
      switch answer {
      case .moving(let name, let progress): await moving(name, progress)
      case .accepted: return .outcome(.accepted)
      case .unusable(let text): return .unusable(text)
      case .notShared(let reason): return .outcome(.notShared(reason))
      case .refused(let reason): return .outcome(.failed(reason))
      case .waiting(let text): return .waiting(text)
      case .stopped: return .outcome(.timedOut)
      }
    } while await watch.arrives()
    return nil
  }

  /// Waits until no other instance has the account any more.
  /// - Returns: its database; `nil` when that cannot be opened for another reason.
  private func free(_ account: Account) async -> AccountDatabase? {
    while !Task.isCancelled {
      do {
        try await sleep(Self.lockPause)
        return try await context.openDatabase(of: account.jid, patience: .none)
      } catch StorageError.locked {
        continue
      } catch {
        return nil
      }
    }
    return nil
  }

  /// Withdraws a file that was passed on to the instance that has the account.
  /// - Returns: whether that was not too late.
  private func stops(_ id: String, in spool: MessageSpool) async -> Bool {
    // Without an answer it is unknown: the file may be sent.
    do { try spool.stop(id) } catch { return false }
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        let watch = FolderMonitor(spool.folder)
        repeat {
          switch spool.answer(to: id) {
          case .stopped(let isTooLate): return !isTooLate
          case .notShared, .unusable: return true
          case .accepted: return false
          default: continue
          }
        } while await watch.arrives()
        return false
      }
      group.addTask { [sleep] in
        // Cancelled: there is an answer.
        try? await sleep(Self.stopLimit)
        return false
      }
      let answer = await group.next() ?? false
      group.cancelAll()
      return answer
    }
  }
}

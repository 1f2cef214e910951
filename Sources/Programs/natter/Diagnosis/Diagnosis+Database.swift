import FoundationEssentials
import Glibc
import Storage
import Text
import ViewModels
import XMPP

nonisolated extension Diagnosis {
  /// The account and the file of a message database.
  struct Database: Sendable {
    let account: JID
    let file: URL
  }

  /// Checks whether Natter could open the messages of each account.
  func lookAtDatabases(_ report: @MainActor @Sendable (Finding) -> Void) async {
    do {
      for database in try await databases() { await look(at: database, report) }
    } catch {
      for line in await explain(error) {
        await report(Finding(topic: localizer("doctor.messages"), verdict: .bad, text: line))
      }
    }
  }

  /// Checks whether Natter could open these messages, with its own criteria.
  private func look(
    at database: Database, _ report: @MainActor @Sendable (Finding) -> Void
  ) async {
    let path = database.file.path
    func found(_ verdict: Verdict, _ text: String) -> Finding {
      finding(
        "doctor.messages", verdict, "doctor.messages-of",
        ["address": database.account.description, "text": text])
    }
    do {
      let isThere = try AccountDatabase.examine(path)
      await report(
        found(
          .good,
          localizer(isThere ? "doctor.database" : "doctor.database-missing", ["path": path])))
    } catch StorageError.locked(let holder) where holder == getpid() {
      await report(found(.good, localizer("doctor.database-own", ["path": path])))
    } catch {
      var verdict = Verdict.bad
      // Another instance has it open, and would have reported faults.
      if case .locked = error { verdict = .note }
      for line in await explain(error) { await report(found(verdict, line)) }
    }
  }
}

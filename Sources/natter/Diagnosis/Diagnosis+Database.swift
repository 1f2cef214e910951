import FoundationEssentials
import Glibc
import Storage
import ViewModels

nonisolated extension Diagnosis {
  /// Whether Natter could begin with the messages in `file`, by its own judgement.
  func look(at file: URL, _ tell: @MainActor @Sendable (Finding) -> Void) async {
    let path = file.path
    do {
      let isThere = try AccountDatabase.examine(path)
      await tell(
        finding(
          "doctor.messages", .good, isThere ? "doctor.database" : "doctor.database-missing",
          ["path": path]))
    } catch StorageError.locked(let holder) where holder == getpid() {
      await tell(finding("doctor.messages", .good, "doctor.database-own", ["path": path]))
    } catch {
      var verdict = Verdict.bad
      // Another Natter has it, which would have told of faults.
      if case .locked = error { verdict = .note }
      for line in await explain(error) {
        await tell(Finding(topic: localizer("doctor.messages"), verdict: verdict, text: line))
      }
    }
  }
}

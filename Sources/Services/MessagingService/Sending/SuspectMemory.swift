import Diagnostics
import NatterCore

/// The storage of the outbox's suspects: the program may be killed before the next session.
struct SuspectMemory {
  private static let key = "outbox.suspects"

  let preferences: any PreferenceStoring
  let log: Log

  /// Returns the suspects of an earlier run, by origin-id.
  func load() async throws -> [String] {
    (try await preferences.values()[Self.key] ?? "").split(separator: "\n").map(String.init)
  }

  func save(_ suspects: Set<String>) async {
    do {
      try await preferences.setValue(
        suspects.isEmpty ? nil : suspects.sorted().joined(separator: "\n"), for: Self.key)
    } catch {
      // They are suspects in this run all the same.
      log.warning("the messages that the server may not accept could not be stored: \(error)")
    }
  }
}

import Foundation
import TestSupport
import Testing

// What a run leaves on the disk is whole, however it ended.
extension NatterRun {
  private static let examination = """
    import sqlite3, sys
    for path in sys.argv[1:]:
        try:
            rows = [row[0] for row in sqlite3.connect(path).execute("PRAGMA integrity_check")]
        except sqlite3.Error as error:
            rows = [repr(error)]
        print("\\n".join(rows))
    """

  /// Fails the test where `PRAGMA integrity_check` finds a fault in the database of an account of
  /// this home.
  ///
  /// Copies are examined: opening a file after a kill applies its log, and that is for the next
  /// start of the program to do.
  func examinesDatabases(_ sourceLocation: SourceLocation) async {
    var found = ""
    // Another Natter of the same person may write while the copies are made: that gives no faults
    // twice.
    for _ in 1...3 {
      do {
        let copies = try TemporaryFolder("examined")
        defer { copies.remove() }
        let paths = try copyDatabases(to: copies)
        guard !paths.isEmpty else { return }
        let run = try await CommandRun.check("python3", ["-c", Self.examination] + paths)
        found = run.text
        let lines = found.split(separator: "\n")
        if lines.count == paths.count, lines.allSatisfy({ $0 == "ok" }) { return }
      } catch {
        found = "\(error)"
      }
    }
    Issue.record("PRAGMA integrity_check: \(found)", sourceLocation: sourceLocation)
  }

  /// Each database with its log.
  private func copyDatabases(to folder: TemporaryFolder) throws -> [String] {
    let accounts = home.data.appending(path: "accounts")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: accounts.path)) ?? []
    for name in names where name.hasSuffix(".db") || name.hasSuffix(".db-wal") {
      try FileManager.default.copyItem(
        at: accounts.appending(path: name), to: folder.root.appending(path: name))
    }
    return names.filter { $0.hasSuffix(".db") }.map { folder.path($0) }
  }
}

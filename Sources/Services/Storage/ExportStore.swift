import NatterCore
import SQLite

extension AccountDatabase {
  /// The data of an archive of `natter export` beside the messages.
  package var exports: ExportStore { ExportStore(database) }

  /// The number of the schema of every open database (`schema_migration.number`).
  package static var schemaVersion: Int { Schema.migrator.version }
}

/// Copies the database of an account for archives, and knows the files that were downloaded.
package struct ExportStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }

  /// Writes a copy of the database for an archive, a single file of mode 0600, and opens it for
  /// reading. It has everything that is stored except for secrets and for the state of sessions
  /// (database.md).
  /// - Throws: `StorageError`, of which `.full` and `.notWritable` mean the copy;
  ///   `CancellationError`. There is no copy then.
  package func writeCopy(to path: String) async throws -> AccountDatabase {
    do {
      try await ArchiveCopy.write(database, to: path)
      guard let copy = try await AccountDatabase.openReading(at: path) else {
        throw StorageError.damaged(path: path)
      }
      return copy
    } catch {
      ArchiveCopy.remove(path)
      if error is CancellationError { throw error }
      guard case .file(let original) = database.location,
        (error as? SQLiteError)?.kind == .damaged
      else { throw StorageError(error, path: path) }
      throw StorageError(error, path: original)
    }
  }

  /// Returns the paths of the files whose downloads are complete, in the order of the downloads.
  /// The user may have changed or deleted them since.
  package func downloadedPaths() async throws -> [String] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows(
          """
          SELECT path FROM transfer WHERE direction = 'download' AND state = 'done'
          GROUP BY path ORDER BY MIN(id)
          """
        ) { $0.string(0) }
      }
    }
  }

  /// Notes that downloaded files are at other paths now. All at once: the new path of one may be
  /// the former path of another.
  /// - Parameter paths: the new paths, by the bytes of the former ones.
  /// - Throws: `StorageError`; then nothing was changed.
  package func setDownloadedPaths(_ paths: [[UInt8]: String]) async throws {
    guard !paths.isEmpty else { return }
    try await database.storing { database in
      try await database.write { db in
        let downloads = try db.rows(
          "SELECT id, path FROM transfer WHERE direction = 'download' AND state = 'done'"
        ) { (id: $0.int64(0), path: $0.string(1)) }
        for download in downloads {
          guard let path = paths[Array(download.path.utf8)] else { continue }
          try db.run("UPDATE transfer SET path = ? WHERE id = ?", path, download.id)
        }
      }
    }
  }
}

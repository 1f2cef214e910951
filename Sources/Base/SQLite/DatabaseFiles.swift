/// The files of a database: its own, and those that SQLite keeps beside it.
package enum DatabaseFiles {
  /// The ends of the names of those beside it: the log, the log's index, and a journal.
  package static let endings = ["-wal", "-shm", "-journal"]

  /// Returns the path of a database, and those of the files beside it, whether they are there or
  /// not.
  package static func paths(of path: String) -> [String] { [path] + endings.map { path + $0 } }
}

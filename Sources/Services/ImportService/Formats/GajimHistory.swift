import NatterCore
import SQLite
import XMPP

/// The history of Gajim: `logs.db`, or the folder that contains it. Up to version 1.8 it has the
/// tables of `GajimLogs` (`user_version` 7 and below), later those of `GajimArchive`.
package struct GajimHistory: HistoryFormat {
  package static let name = "gajim"

  private let path: String
  private let context: ImportContext

  package static func recognizes(_ path: String) -> Bool {
    ForeignDatabase.recognizes(file(path)) { try layout(of: $0) != nil }
  }

  package init(path: String, context: ImportContext) throws {
    self.path = Self.file(path)
    self.context = context
    _ = try HistoryFile(self.path)
  }

  package func read(_ take: (ImportItem) throws -> Void) throws {
    let database = try ForeignDatabase(path: path)
    switch try Self.layout(of: database) {
    case .logs: try GajimLogs(database: database, context: context).read(take)
    case .archive: try GajimArchive(database: database).read(take)
    case nil: throw ImportFailure.unsupportedVersion(String(try database.userVersion))
    }
    try database.requireUnchanged()
  }

  private enum Layout { case logs, archive }

  private static func layout(of database: ForeignDatabase) throws -> Layout? {
    let hasLogs = try database.columns(of: "logs").isSuperset(of: ["jid_id", "kind", "message"])
    let hasArchive = try database.columns(of: "message").isSuperset(of: [
      "fk_account_pk", "fk_remote_pk", "text",
    ])
    // A database that was converted may have both.
    if hasArchive, try !hasLogs || database.userVersion >= 8 { return .archive }
    return hasLogs ? .logs : nil
  }

  private static func file(_ path: String) -> String {
    HistoryFolder.kind(of: path) == .folder ? path + "/logs.db" : path
  }
}

import NatterCore
import SQLite

/// The progress of reading the account's archive that its ranges do not have.
package struct ArchiveProgressStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }
}

extension ArchiveProgressStore: ArchiveProgressStoring {
  package func searchProgress() async throws -> ArchiveSearchProgress? {
    try await database.storing { database in
      try await database.read { db in
        try db.firstRow("SELECT reached_id, reached_at FROM archive_search") {
          row -> ArchiveSearchProgress in
          guard let id = row.optionalString(0), let time = row.optionalInt64(1) else {
            return .complete
          }
          return .reached(ArchivePosition(id: id, at: ColumnCoding.date(time)))
        }
      }
    }
  }

  package func setSearchProgress(_ progress: ArchiveSearchProgress) async throws {
    let point: ArchivePosition? = if case .reached(let point) = progress { point } else { nil }
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          "INSERT OR REPLACE INTO archive_search (id, reached_id, reached_at) VALUES (1, ?, ?)",
          point?.id, point.map { ColumnCoding.microseconds($0.at) })
      }
    }
  }

  package func offlineDeliveries() async throws -> OfflineDeliveryLog {
    try await database.storing { database in
      try await database.read { db in
        let rows = try db.rows("SELECT sent_at, is_border FROM offline_delivery ORDER BY sent_at") {
          (time: ColumnCoding.date($0.int64(0)), isBorder: $0.bool(1))
        }
        return OfflineDeliveryLog(
          last: rows.last { !$0.isBorder }?.time, borders: rows.filter(\.isBorder).map(\.time))
      }
    }
  }

  package func setOfflineDeliveries(_ deliveries: OfflineDeliveryLog) async throws {
    var rows = deliveries.borders.map { (time: ColumnCoding.microseconds($0), isBorder: true) }
    if let last = deliveries.last { rows.append((ColumnCoding.microseconds(last), false)) }
    try await database.storing { [rows] database in
      try await database.write { db in
        try db.run("DELETE FROM offline_delivery")
        for row in rows {
          try db.run(
            "INSERT OR IGNORE INTO offline_delivery (sent_at, is_border) VALUES (?, ?)", row.time,
            row.isBorder)
        }
      }
    }
  }
}

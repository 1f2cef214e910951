import BoundedText
import CSQLite

/// The current row of a statement. It is valid only inside the closure that receives it.
///
/// Columns are counted from 0. A getter that is not optional returns an empty value for NULL: the
/// schema's NOT NULL says where that cannot occur.
package struct Row {
  let statement: OpaquePointer

  package func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
  }

  package func int64(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(column)) }
  package func int(_ column: Int) -> Int { Int(int64(column)) }
  package func bool(_ column: Int) -> Bool { int64(column) != 0 }
  package func double(_ column: Int) -> Double { sqlite3_column_double(statement, Int32(column)) }

  /// Returns the text as UTF-8; ill-formed sequences become U+FFFD. A NUL inside is kept. Its
  /// clusters are bounded (`ClusterBound`): text that an earlier version stored may have clusters
  /// of any length.
  package func string(_ column: Int) -> String {
    guard let text = sqlite3_column_text(statement, Int32(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    return String(bounding: UnsafeBufferPointer(start: text, count: count))
  }

  /// Calls `body` with the bytes of the text, of which none is added or changed.
  package func withUTF8<Value>(
    _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Value
  ) rethrows -> Value {
    let text = sqlite3_column_text(statement, Int32(column))
    return try body(
      UnsafeBufferPointer(
        start: text, count: text == nil ? 0 : Int(sqlite3_column_bytes(statement, Int32(column)))))
  }

  package func bytes(_ column: Int) -> [UInt8] {
    guard let start = sqlite3_column_blob(statement, Int32(column)) else { return [] }
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Returns the length of a text or blob, in bytes.
  package func byteCount(_ column: Int) -> Int {
    Int(sqlite3_column_bytes(statement, Int32(column)))
  }

  package func optionalInt64(_ column: Int) -> Int64? { isNull(column) ? nil : int64(column) }
  package func optionalInt(_ column: Int) -> Int? { isNull(column) ? nil : int(column) }
  package func optionalString(_ column: Int) -> String? { isNull(column) ? nil : string(column) }

  /// Returns the value as it is stored.
  package func value(_ column: Int) -> SQLValue {
    switch sqlite3_column_type(statement, Int32(column)) {
    case SQLITE_INTEGER: .integer(int64(column))
    case SQLITE_FLOAT: .real(double(column))
    case SQLITE_TEXT: .text(string(column))
    case SQLITE_BLOB: .blob(bytes(column))
    default: .null
    }
  }
}

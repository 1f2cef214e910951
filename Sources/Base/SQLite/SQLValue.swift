/// A value as SQLite stores it.
package enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

/// A value that can be bound to a `?` of a statement.
package protocol SQLConvertible {
  var sqlValue: SQLValue { get }
}

extension SQLValue: SQLConvertible {
  package var sqlValue: SQLValue { self }
}

extension Int: SQLConvertible {
  package var sqlValue: SQLValue { .integer(Int64(self)) }
}

extension Int64: SQLConvertible {
  package var sqlValue: SQLValue { .integer(self) }
}

/// Stored as 0 or 1.
extension Bool: SQLConvertible {
  package var sqlValue: SQLValue { .integer(self ? 1 : 0) }
}

extension Double: SQLConvertible {
  package var sqlValue: SQLValue { .real(self) }
}

extension String: SQLConvertible {
  package var sqlValue: SQLValue { .text(self) }
}

extension [UInt8]: SQLConvertible {
  package var sqlValue: SQLValue { .blob(self) }
}

extension Optional: SQLConvertible where Wrapped: SQLConvertible {
  package var sqlValue: SQLValue { self?.sqlValue ?? .null }
}

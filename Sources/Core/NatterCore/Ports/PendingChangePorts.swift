/// Stores the pending changes of all kinds, so that they survive the end of the program.
package protocol PendingChangeStoring: Sendable {
  /// Returns the pending changes of a kind, in the order in which their subjects were first
  /// changed.
  func pending<Change: PendingChange>(_ type: Change.Type) async throws -> [StoredChange<Change>]
  /// Stores a change instead of the one of the same subject.
  /// - Parameter refusal: why the server refused it; `nil` if it waits for a connection.
  func keep<Change: PendingChange>(_ change: Change, refusal: StatusNotice?) async throws
  /// Removes a change that the server has accepted or refused, unless the user has made another one
  /// of its subject meanwhile.
  func settle<Change: PendingChange>(_ change: Change) async throws
  /// Removes the change of a subject, if there is one.
  func drop<Change: PendingChange>(_ type: Change.Type, of subject: [String]) async throws
}

extension PendingChangeStoring {
  /// Stores a change that waits for a connection, instead of the one of the same subject.
  package func keep<Change: PendingChange>(_ change: Change) async throws {
    try await keep(change, refusal: nil)
  }
}

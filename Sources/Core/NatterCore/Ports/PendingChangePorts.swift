/// Names the stored changes that this version cannot read.
package protocol UnreadableChangeReading: Sendable {
  /// Returns those of some kinds, in the order in which their subjects were first changed. They
  /// stay stored, until the user changes the same subject.
  func unreadableChanges(of kinds: Set<PendingChangeKind>) async throws -> [UnreadableChange]
}

extension UnreadableChangeReading {
  /// Writes the changes that cannot be read to the log: they are not sent.
  /// - Parameters:
  ///   - isOwn: returns whether the caller is responsible for a change.
  ///   - warn: writes a line to the log.
  package func reportUnreadable(
    _ kinds: Set<PendingChangeKind>, where isOwn: (UnreadableChange) -> Bool = { _ in true },
    warn: (String) -> Void
  ) async {
    do {
      for change in try await unreadableChanges(of: kinds) where isOwn(change) {
        warn("a pending change cannot be read, and is not sent: \(change)")
      }
    } catch {
      warn("pending changes that cannot be read could not be looked up: \(error)")
    }
  }
}

/// Stores the pending changes of all kinds, so that they survive the end of the program.
package protocol PendingChangeStoring: UnreadableChangeReading {
  /// Returns the pending changes of a kind, in the order in which their subjects were first
  /// changed, without those that cannot be read.
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

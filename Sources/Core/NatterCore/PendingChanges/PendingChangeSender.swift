import XMPP

/// Sends the pending changes of the user to a server: at once, or as soon as there is a connection.
///
/// The changes themselves are in the database, where each service keeps its own until the server
/// has accepted them. This type has the common part: the result of sending one, and that a refused
/// one does not delay the others.
package struct PendingChangeSender: Sendable {
  private let subject: String
  private let hub: EventHub
  private let warn: @Sendable (String) -> Void

  /// - Parameters:
  ///   - subject: the kind of change, for the log: `a change of a contact`.
  ///   - hub: receives a notice of a refusal that no caller waits for.
  ///   - warn: writes a line to the log.
  package init(_ subject: String, hub: EventHub, warn: @escaping @Sendable (String) -> Void) {
    self.subject = subject
    self.hub = hub
    self.warn = warn
  }

  /// Sends one change.
  /// - Parameters:
  ///   - work: sends it to the server, and waits for the acceptance.
  ///   - refused: stores the refusal and its reason.
  /// - Returns: `true` if the server accepted it; otherwise it stays pending.
  /// - Throws: `NatterError` if it was refused, and the other errors of the two closures.
  package func submit(_ work: () async throws -> Void, refused: (StatusNotice) async throws -> Void)
    async throws -> Bool
  {
    do {
      try await work()
      return true
    } catch let error as StanzaError where error.isPassing {
      warn("\(subject) has to wait: \(error.condition.rawValue)")
      return false
    } catch let error as StanzaError {
      let refusal = NatterError(answering: error)
      try await refused(refusal.notice)
      throw refusal
    } catch let error as NatterError where error.kind == .refused {
      try await refused(error.notice)
      throw error
    } catch is ChannelError {
      // It may have arrived: sending a change twice must be harmless.
      return false
    }
  }

  /// Writes the stored changes that cannot be read to the log: they are not sent.
  /// - Parameter isOwn: returns whether the caller is responsible for a change.
  package func reportUnreadable(
    _ kinds: Set<PendingChangeKind>, in store: any UnreadableChangeReading,
    where isOwn: (UnreadableChange) -> Bool = { _ in true }
  ) async {
    await store.reportUnreadable(kinds, where: isOwn, warn: warn)
  }

  /// Sends all pending changes, one after the other: reports a refusal, and continues with the
  /// rest.
  /// - Parameters:
  ///   - waiting: returns the pending changes, in the order of sending.
  ///   - submit: sends one.
  package func submitAll<Change>(
    _ waiting: () async throws -> [Change], _ submit: (Change) async throws -> Void
  ) async {
    do {
      for change in try await waiting() {
        do { try await submit(change) } catch let error as NatterError where error.kind == .refused
        {
          hub.publish(.notice(error.notice))
        }
      }
    } catch {
      // All of them remain stored, for the next session.
      warn("\(subject) could not be sent: \(error)")
    }
  }
}

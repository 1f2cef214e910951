import XMPP

/// Has a server hear of what the person did: at once, or as soon as there is a connection.
///
/// The wishes themselves are in the database, where each service keeps its own until the server has them. What all of them have in
/// common is here: what becomes of one that is told, and that of several none holds up the others.
package struct PendingChangeSender: Sendable {
  private let subject: String
  private let hub: EventHub
  private let warn: @Sendable (String) -> Void

  /// - Parameters:
  ///   - subject: what a wish is, for the log: `a change of a contact`.
  ///   - hub: where it is said that one was refused which nobody waits for.
  ///   - warn: writes a line into the log.
  package init(_ subject: String, hub: EventHub, warn: @escaping @Sendable (String) -> Void) {
    self.subject = subject
    self.hub = hub
    self.warn = warn
  }

  /// Tells one wish.
  /// - Parameters:
  ///   - work: says it to the server, and waits until that has it.
  ///   - refused: takes note that it was refused, and why.
  /// - Returns: whether the server has it; otherwise it waits.
  /// - Throws: `NatterError` when it was refused, and what the two closures throw else.
  package func tell(_ work: () async throws -> Void, refused: (StatusNotice) async throws -> Void)
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
      // It may have arrived: a wish is such that it does no harm to be told twice.
      return false
    }
  }

  /// Tells everything that waits, one after the other: what is refused is said, and the rest goes on.
  /// - Parameters:
  ///   - waiting: what waits, in the order in which it is to be told.
  ///   - tell: tells one.
  package func tellAll<Wish>(
    _ waiting: () async throws -> [Wish], _ tell: (Wish) async throws -> Void
  ) async {
    do {
      for wish in try await waiting() {
        do { try await tell(wish) } catch let error as NatterError where error.kind == .refused {
          hub.publish(.notice(error.notice))
        }
      }
    } catch {
      // All of it stays where it is, for the next session.
      warn("\(subject) could not be told: \(error)")
    }
  }
}

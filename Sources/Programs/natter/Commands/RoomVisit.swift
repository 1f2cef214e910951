import ConnectionService
import MessagingService
import NatterCore
import Text
import ViewModels
import XMPP

/// A message of `natter send` to a room that is on no list of the account: a session of its own
/// joins the room, and leaves it when it ends. Nothing of it is stored.
struct RoomVisit {
  let command: SendCommand
  let account: Account
  let credentials: any CredentialStoring

  private nonisolated enum Ended: Sendable {
    case sent(SendOutcome)
    /// There are rooms at the domain, and this is none of them.
    case noRoom
    /// It is something else, or it does not answer.
    case unknown
  }

  /// Joins `room` and sends `body`, if it is a room.
  /// - Returns: `nil` if it is something else, or does not answer.
  /// - Throws: `ConnectionProblem`; `CommandFailure` for a room that does not exist.
  func send(_ body: String, to room: JID) async throws -> SendOutcome? {
    let id = IdentifierSource().next()
    let ended = try await result(
      within: SendCommand.limit(for: [body]), orElse: Ended.sent(.timedOut)
    ) { sending in
      guard await sending.isRoom(room) != true else {
        return .sent(await sending.send(body, id: id, to: room))
      }
      return await sending.hasRooms(room.domain) ? .noRoom : .unknown
    }
    switch ended {
    case .sent(let outcome): return outcome
    case .unknown: return nil
    case .noRoom:
      throw CommandFailure(
        code: .failed,
        text: command.context.localizer("cli.send-no-room", ["room": room.description]))
    }
  }

  /// Returns `true` if the service of an address calls it a room.
  /// - Throws: `ConnectionProblem`.
  func isRoom(_ address: JID) async throws -> Bool {
    try await result(within: SendCommand.limit, orElse: false) {
      await $0.isRoom(address) == true
    }
  }

  /// Does `work` over a session beside those of the account's other clients.
  /// - Parameter late: the result when `limit` has passed before.
  private func result<Value: Sendable>(
    within limit: Duration, orElse late: Value,
    of work: @escaping @Sendable (DirectSending) async -> Value
  ) async throws -> Value {
    let stream = try await command.visit(account, credentials)
    let sending = command.directSending(over: stream, account)
    return await command.result(
      within: limit, orElse: late, running: { await stream.run() },
      closing: { await stream.close() }
    ) { await work(sending) }
  }
}

extension SendCommand {
  /// Sends `body` if `address` is a room that is on no list of the account.
  /// - Returns: whether the message is sent, or kept; `false`: it takes the usual way.
  /// - Throws: `CommandFailure`, `StorageError`.
  func sendAsVisitor(
    _ body: String, to address: JID, _ services: AccountServices, _ visit: RoomVisit
  ) async throws -> Bool {
    guard try await services.mayBeRoom(address) else { return false }
    var outcome: SendOutcome?
    var waiting = context.localizer("cli.send-visit-lost", ["room": address.description])
    do { outcome = try await visit.send(body, to: address) } catch let problem as ConnectionProblem
    {
      // Whether it is a room is not known: the message waits as one for a contact does.
      _ = try await services.outbox.send(body, to: address)
      outcome = .notConnected(problem)
      waiting = context.localizer("cli.send-queued")
    }
    guard let outcome else { return false }
    try settle(outcome, waiting: waiting)
    return true
  }

  /// Refuses a file for a room that is on no list of the account: its upload needs the account's
  /// own session, which does not enter rooms for one message.
  /// - Throws: `CommandFailure`, `StorageError`.
  func refuseVisit(
    to address: JID, _ services: AccountServices, _ visit: RoomVisit
  ) async throws {
    guard try await services.mayBeRoom(address) else { return }
    do {
      guard try await visit.isRoom(address) else { return }
    } catch is ConnectionProblem {
      // The usual way reports it.
      return
    }
    throw CommandFailure(
      code: .failed,
      text: context.localizer("cli.send-outside", ["room": address.description]))
  }
}

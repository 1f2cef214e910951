import BridgeService
import Diagnostics
import FoundationEssentials
import JSONLines
import NatterCore
import Storage
import Text
import ViewModels
import XMPP

/// Sends the text of `natter send` through the process that has the account open and answers on its
/// socket: errors come back at once, and the message is stored there only once.
struct SocketSending {
  let command: SendCommand
  let account: Account

  /// The time that the process may take to answer at all: it may be stopped.
  private static let greetingLimit = Duration.seconds(3)
  /// The time that it may take for a message: the bridge gives up before.
  private static let limit = Duration.seconds(100)

  private var context: LaunchContext { command.context }

  /// Sends a text.
  /// - Returns: `false`: the process does not answer, or it cannot send this text; nothing of it
  ///   is stored there.
  /// - Throws: `CommandFailure`.
  func send(_ body: String, to recipient: JID) async throws -> Bool {
    guard body.utf8.count <= BridgeLimits.body, !body.utf8.contains(0),
      let connection = await BridgeSocket(of: account.jid, context).connect()
    else { return false }
    let client: BridgeClient
    do { client = try BridgeClient(SingleUpstream(connection)) } catch {
      connection.close()
      return false
    }
    let timer = Task { [sleep = command.sleep] in
      // Cancelled: there is an answer.
      do { try await sleep(Self.limit) } catch { return }
      client.close()
    }
    defer {
      timer.cancel()
      client.close()
    }
    let state: JSONValue
    do {
      try await client.greet(within: Self.greetingLimit)
      guard try await isSuited(recipient, client) else { return false }
      state = try await self.state(client)
    } catch {
      // Nothing was sent yet: it goes the other ways.
      context.log.info("the Natter that has the account did not answer: \(error)")
      return false
    }
    try await send(body, to: recipient, client, state)
    return true
  }

  /// Indicates whether the process can send to a recipient: not to a room that it is not in, or
  /// that nothing is known of.
  private func isSuited(_ recipient: JID, _ client: BridgeClient) async throws -> Bool {
    let room: JSONValue
    do {
      room = try await client.ask(
        "rooms.get", parameters(["conversation": .text(recipient.bare.description)]), id: 2)
    } catch let refusal as BridgeClient.Refusal
      where refusal.code == BridgeError.Code.notFound.rawValue
    {
      return try await isPerson(recipient)
    }
    return room["room"]?["state"]?.string != "outside"
  }

  /// Indicates whether a recipient is the bare address of a person, as far as the stored lists say.
  /// The process stores a message to a resource of theirs by the bare address: an entry that is
  /// left in the spool because the answer was lost would have another id than the message.
  private func isPerson(_ recipient: JID) async throws -> Bool {
    let file = context.databaseFile(of: account.jid).path
    guard let database = try await AccountDatabase.openReading(at: file) else { return false }
    let book = AddressBook(
      of: account.jid, rooms: nil, conversations: database.conversations,
      roster: database.roster)
    let result: Result<Bool, any Error>
    do {
      let owner = try await book.owner(of: recipient.bare)
      let mayBeRoom = try await book.mayBeRoom(recipient)
      result = .success(recipient.isBare && owner != .room && !mayBeRoom)
    } catch { result = .failure(error) }
    await database.close()
    return try result.get()
  }

  /// Returns the state of the connection, once it is no longer beginning.
  private func state(_ client: BridgeClient) async throws -> JSONValue {
    _ = try await client.ask(
      "events.subscribe", parameters(["events": .array([.text("connection.changed")])]), id: 3)
    var changed: JSONValue?
    let answer = try await client.ask("accounts.list", parameters([:]), id: 4) {
      changed = Self.state(in: $0) ?? changed
    }
    var state = answer["accounts"]?.elements?.first ?? .null
    if Self.isBeginning(state), let changed { state = changed }
    while Self.isBeginning(state) { state = Self.state(in: try await client.next()) ?? state }
    return state
  }

  private static func isBeginning(_ state: JSONValue) -> Bool {
    state["state"]?.string == "connecting"
  }

  /// Returns the state that an event announces; `nil`: it announces another thing.
  private static func state(in event: BridgeEnvelope) -> JSONValue? {
    guard event.parameters?["event"]?.string == "connection.changed" else { return nil }
    return event.parameters?["data"]
  }

  private func send(
    _ body: String, to recipient: JID, _ client: BridgeClient, _ state: JSONValue
  ) async throws {
    let request = IdentifierSource().next()
    // The ids that the process may give the message, in case that its answer is lost.
    let ids = BridgeComposition.natter.originIDs(account.jid, context.localizer)(
      request, recipient)
    var entry = MessageSpool.Entry(
      originID: ids.first ?? request, recipient: recipient, body: body, typedAt: Date())
    entry.otherIDs = Array(ids.dropFirst())
    let isOnline = ["online", "connecting"].contains(state["state"]?.string)
    do {
      _ = try await client.ask(
        "messages.send",
        parameters([
          "conversation": .text(recipient.description), "body": .text(body),
          "request_id": .text(request), "wait": .text(isOnline ? "sent" : "stored"),
        ]), id: 5)
    } catch let refusal as BridgeClient.Refusal {
      return try settle(refusal)
    } catch {
      // It may be stored there: one of the ids says so.
      return try command.settle(.timedOut, waiting: command.handOver(entry, of: account))
    }
    guard isOnline else { return try settle(offline: state) }
  }

  private func settle(_ refusal: BridgeClient.Refusal) throws {
    switch BridgeError.Code(rawValue: refusal.code) {
    case .refused: try command.settle(.failed(refusal.text), waiting: "")
    case .tooLarge: try command.settle(.oversized(refusal.text), waiting: "")
    case .timedOut: try command.settle(.timedOut, waiting: kept)
    default:
      throw CommandFailure(code: ExitCode(bridgeError: refusal.code), text: refusal.text)
    }
  }

  /// Reports that the process has no connection, and keeps the message.
  private func settle(offline state: JSONValue) throws {
    guard
      let kind = state["problem"]?.string.flatMap(ConnectionProblem.ProblemKind.init(rawValue:))
    else { throw CommandFailure(code: .unavailable, text: kept) }
    try command.settle(
      .notConnected(ConnectionProblem(kind, host: account.server ?? account.jid.domain)),
      waiting: kept)
  }

  private var kept: String { context.localizer("cli.send-handed") }

  private func parameters(_ members: [String: JSONValue]) -> JSONValue {
    var members = members
    members["account"] = .text(account.jid.description)
    return .object(members)
  }
}

/// One connection, and none after it.
actor SingleUpstream: BridgeUpstreams {
  private var next: LineConnection?

  init(_ connection: LineConnection) { next = connection }

  func connection() throws -> LineConnection {
    guard let connection = next else { throw BridgeClient.Lost() }
    next = nil
    return connection
  }
}

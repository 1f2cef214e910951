import FoundationEssentials
import JSONLines
import NatterCore
import Storage
import Synchronization
import XMPP

/// Answers for an account from its stored data, while another process that does not listen has the
/// account open: what reads is answered, messages are left to that process, and the rest waits for
/// its end.
nonisolated struct StoredBridge: Sendable {
  let bridge: any BridgeServing
  let interception: LineConnection.Interception
  let close: @Sendable () async -> Void

  /// The methods that stored data can answer.
  private static let reading: Set<String> = [
    "version", "ping", "methods", "permissions.list", "accounts.list", "conversations.list",
    "conversations.get", "messages.history", "messages.get", "messages.search", "contacts.list",
    "contacts.get", "rooms.list", "rooms.get",
  ]

  /// - Parameters:
  ///   - bridge: answers what reads, and refuses the rest as not possible at the moment.
  ///   - spool: takes messages for the process that has the account.
  init(
    _ account: JID, bridge: any BridgeServing, spool: MessageSpool,
    close: @escaping @Sendable () async -> Void
  ) {
    self.bridge = bridge
    self.close = close
    let rights = Mutex(false)
    interception = { line, connection in
      guard let request = BridgeEnvelope(line), let id = request.id, let method = request.method
      else { return false }
      if method == "hello" {
        // Programs with a name have only what the bridge grants them.
        rights.withLock { $0 = request.parameters?["as"] == nil }
      }
      guard method == "messages.send", rights.withLock({ $0 }) else { return false }
      connection.send(Self.answer(request, id, of: account, by: spool).text)
      return true
    }
  }

  /// Returns whether stored data can answer a request.
  static func reads(_ request: BridgeEnvelope) -> Bool {
    guard let method = request.method, reading.contains(method) else { return false }
    return request.parameters?["fetch"]?.bool != true
  }

  /// Leaves a message to the process that has the account.
  private static func answer(
    _ request: BridgeEnvelope, _ id: JSONValue, of account: JID, by spool: MessageSpool
  ) -> BridgeEnvelope {
    let wrong = { (path: String) in
      BridgeEnvelope.error(
        .parameters, "invalid parameter \(path)", data: ["path": .text(path)], id: id)
    }
    let parameters = request.parameters
    guard let recipient = parameters?["conversation"]?.string.flatMap({ JID(userInput: $0) })
    else { return wrong("conversation") }
    guard let body = parameters?["body"]?.string, !body.allSatisfy(\.isWhitespace) else {
      return wrong("body")
    }
    if parameters?["reply_to"] != nil {
      return .error(.busy, "replies need a Natter that listens", id: id)
    }
    // The same request leaves the same file.
    let wanted = parameters?["request_id"]?.string ?? ""
    let isName = (1...64).contains(wanted.utf8.count) && wanted.allSatisfy { $0.isHexDigit }
    let entry = MessageSpool.Entry(
      originID: isName ? wanted : IdentifierSource().next(), recipient: recipient, body: body,
      typedAt: Date())
    do { try spool.leave(entry) } catch {
      return .error(.internalError, "the message could not be stored", id: id)
    }
    let message: [String: JSONValue] = [
      "account": .text(account.description), "conversation": .text(recipient.description),
      "direction": .text("out"), "body": .text(body), "origin_id": .text(entry.originID),
      "delivery": .text("queued"),
    ]
    return .result(.object(["message": .object(message)]), id: id)
  }
}

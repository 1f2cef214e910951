import BridgeService
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
    "contacts.get", "drafts", "settings.list",
  ]

  /// Returns the origin-ids that the message of a request can have, by its `request_id` and
  /// conversation, first that of a message that is sent now.
  typealias OriginIDs = @Sendable (String, JID) -> [String]

  /// - Parameters:
  ///   - bridge: answers what reads, and refuses the rest as not possible at the moment.
  ///   - spool: takes messages for the process that has the account.
  ///   - texts: of the errors of these messages.
  init(
    _ account: JID, bridge: any BridgeServing, spool: MessageSpool,
    originIDs: @escaping OriginIDs, texts: @escaping BridgeError.Texts = { $0.key },
    close: @escaping @Sendable () async -> Void
  ) {
    self.bridge = bridge
    self.close = close
    let rights = Mutex(false)
    interception = { line, connection in
      guard let request = BridgeEnvelope(line), let id = request.id, let method = request.method
      else { return false }
      if method == "hello" {
        // The bridge knows what programs with a name may do; what they send waits for a Natter that
        // listens.
        rights.withLock { $0 = request.parameter("as") == nil }
      }
      guard method == "messages.send", rights.withLock({ $0 }) else { return false }
      let answer: BridgeEnvelope
      do throws(BridgeError) {
        let message = try Self.leave(request, of: account, in: spool, originIDs)
        answer = .result(.object(["message": .object(message)]), id: id)
      } catch { answer = .error(error, id: id, texts) }
      connection.send(answer.text)
      return true
    }
  }

  /// Returns whether stored data can answer a request. That a method does not exist, or cannot have
  /// these parameters, is known without a connection, too.
  static func reads(_ request: BridgeEnvelope) -> Bool {
    guard let method = request.method else { return false }
    do { try BridgeMethod.check(method, request.parameters) } catch { return true }
    return reading.contains(method) && request.parameters?["fetch"]?.bool != true
  }

  /// Leaves a message to the process that has the account.
  /// - Returns: the members of the message.
  private static func leave(
    _ request: BridgeEnvelope, of account: JID, in spool: MessageSpool, _ originIDs: OriginIDs
  ) throws(BridgeError) -> [String: JSONValue] {
    try BridgeMethod.check("messages.send", request.parameters)
    guard let recipient = request.parameter("conversation")?.string.flatMap({ JID(userInput: $0) })
    else { throw .parameter("conversation", "is not an address") }
    guard let body = request.parameter("body")?.string, !body.allSatisfy(\.isWhitespace) else {
      throw .parameter("body", "is empty")
    }
    if request.parameter("reply_to") != nil {
      throw BridgeError(.busy, "replies need a Natter that listens")
    }
    var thread: Message.Thread?
    if let wanted = request.parameter("thread") {
      guard let named = wanted.string.flatMap({ Message.Thread(id: $0) }) else {
        throw .parameter("thread", "is not the id of a thread")
      }
      thread = named
    }
    var names: [String] = []
    if let name = request.parameter("request_id")?.string { names = originIDs(name, recipient) }
    let entry: MessageSpool.Entry
    if let known = names.isEmpty
      ? nil : spool.entries().first(where: { names.contains($0.originID) })
    {
      guard known.body.utf8.elementsEqual(body.utf8) else {
        throw .parameter("request_id", "was used for another text")
      }
      entry = known
    } else {
      var new = MessageSpool.Entry(
        originID: names.first ?? IdentifierSource().next(), recipient: recipient, body: body,
        typedAt: Date())
      new.thread = thread
      new.otherIDs = Array(names.dropFirst())
      entry = new
      do { try spool.leave(entry) } catch {
        throw BridgeError(.internal, "the message could not be stored")
      }
    }
    var members: [String: JSONValue] = [
      "account": .text(account.description), "conversation": .text(recipient.description),
      "direction": .text("out"), "body": .text(body), "origin_id": .text(entry.originID),
      "delivery": .text("queued"),
    ]
    if let thread = entry.thread { members["thread"] = .text(thread.id) }
    return members
  }
}

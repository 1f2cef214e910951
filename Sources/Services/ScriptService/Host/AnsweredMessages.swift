import JSONLines
import NatterCore
import XMPP

/// The messages that a script has answered: it answers each one once, so that an error of it, or
/// another program that answers, does not fill a conversation.
///
/// How much it sends is limited by the bridge (`ClientLimits`).
struct AnsweredMessages: Sendable {
  /// The method that sends messages.
  static let method = "messages.send"
  /// The time after which a script may ask again, as far as it knows.
  static let pause = Duration.seconds(3600)
  /// The answered messages, and the ids of requests, that are remembered.
  private static let remembered = 4096

  /// An answer that was counted.
  struct Ticket: Hashable, Sendable {
    fileprivate let message: String
    fileprivate let requestID: String?
  }

  private var answered = RecentTexts(Self.remembered)
  /// The ids of requests, each with its conversation.
  private var requestIDs = RecentTexts(Self.remembered)

  /// Counts a request to send.
  /// - Returns: `nil` for one that is not counted: it answers no message, or is a repetition.
  /// - Throws: `BridgeError.Code.tooFast`.
  mutating func take(_ parameters: [String: JSONValue]) throws(BridgeError) -> Ticket? {
    guard let message = parameters["reply_to"].flatMap(Self.message) else { return nil }
    let conversation = parameters["conversation"]?.string.flatMap { JID(parsing: $0) }
    // The bridge refuses a longer one: a script must not fill the memory with them.
    let named = parameters["request_id"]?.string
    let request = named.flatMap { $0.utf8.count <= BridgeLimits.requestID ? $0 : nil }.map {
      "\(conversation?.description ?? "")\u{0}\($0)"
    }
    if let request, requestIDs.contains(request) { return nil }
    // Ids are those of one account's store.
    let account = parameters["account"]?.string.flatMap { JID(parsing: $0)?.bare }
    let answer = "\(account?.description ?? "")\u{0}\(message)"
    guard !answered.contains(answer) else { throw .tooFast(Self.pause) }
    answered.add(answer)
    if let request { requestIDs.add(request) }
    return Ticket(message: answer, requestID: request)
  }

  /// Takes back a request that failed: nothing was sent.
  mutating func fail(_ ticket: Ticket) {
    answered.remove(ticket.message)
    if let request = ticket.requestID { requestIDs.remove(request) }
  }

  private static func message(_ value: JSONValue) -> String? {
    value.int.map(String.init) ?? value.string.flatMap { Int($0) }.map(String.init)
  }
}

/// The texts that were added last, by their bytes: texts that only look the same differ.
struct RecentTexts: Sendable {
  private let limit: Int
  private var known: Set<[UInt8]> = []
  private var order: [[UInt8]] = []
  /// The index of the oldest in `order`, once that is full.
  private var oldest = 0

  init(_ limit: Int) { self.limit = limit }

  func contains(_ text: String) -> Bool { known.contains(Array(text.utf8)) }

  mutating func add(_ text: String) {
    let bytes = Array(text.utf8)
    guard known.insert(bytes).inserted else { return }
    guard order.count == limit else {
      order.append(bytes)
      return
    }
    known.remove(order[oldest])
    order[oldest] = bytes
    oldest = (oldest + 1) % limit
  }

  /// Removes a text; its room in the order is used again later.
  mutating func remove(_ text: String) {
    let bytes = Array(text.utf8)
    guard known.remove(bytes) != nil, let index = order.firstIndex(of: bytes) else { return }
    // Otherwise the room would be that of the same text, once it is added again.
    order[index] = []
  }
}

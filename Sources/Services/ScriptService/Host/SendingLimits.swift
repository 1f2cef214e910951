import JSONLines
import NatterCore
import XMPP

/// Limits the messages that a script sends, so that two programs that answer each other end.
///
/// It counts requests to send as they pass, and takes back those that are answered with an error.
struct SendingLimits: Sendable {
  /// The method that it limits.
  static let method = "messages.send"
  /// The messages to a conversation within `period`.
  static let perHour = 60
  /// The messages in a row to a conversation in which no other person wrote.
  static let inARow = 10
  static let period = Duration.seconds(3600)
  /// The answered messages, and the ids of requests, that are remembered.
  private static let remembered = 4096

  /// A message that was counted.
  struct Ticket: Hashable, Sendable {
    fileprivate let number: Int
    fileprivate let conversation: JID
    fileprivate let answered: String?
    fileprivate let requestID: String?
  }

  private struct Traffic: Sendable {
    /// When messages were sent within the last hour, with their numbers.
    var sent: [(number: Int, time: Duration)] = []
    /// Those without another person's message since.
    var row: [Int] = []
  }

  private let perHour: Int
  private var rate = RateLimit(1, burst: 5)
  private var traffic: [JID: Traffic] = [:]
  /// The messages that were answered, and the ids of requests.
  private var answered = RecentTexts(Self.remembered)
  private var requestIDs = RecentTexts(Self.remembered)
  private var last = 0

  /// - Parameter perHour: the messages to a conversation within an hour; `nil`: the usual number.
  init(perHour: Int? = nil) { self.perHour = perHour ?? Self.perHour }

  /// Counts a request to send.
  /// - Returns: `nil` for one that is not counted: it is not valid, or repeats an earlier one.
  /// - Throws: `BridgeError.Code.tooFast`.
  mutating func take(
    _ parameters: [String: JSONValue], at now: Duration
  ) throws(BridgeError) -> Ticket? {
    // A private message to an occupant counts for the room: there are many of them.
    guard let conversation = parameters["conversation"]?.string.flatMap({ JID(parsing: $0)?.bare })
    else { return nil }
    let request = parameters["request_id"]?.string.map { "\(conversation)\u{0}\($0)" }
    if let request, requestIDs.contains(request) { return nil }
    let original = parameters["reply_to"].flatMap(Self.message)
    if let original, answered.contains(original) { throw .tooFast(Self.period) }
    forget(before: now - Self.period)
    let known = traffic[conversation] ?? Traffic()
    if known.sent.count >= perHour, let first = known.sent.first {
      throw .tooFast(first.time + Self.period - now)
    }
    if known.row.count >= Self.inARow, let newest = known.sent.last {
      throw .tooFast(newest.time + Self.period - now)
    }
    if let pause = rate.take(at: now) { throw .tooFast(pause) }
    last += 1
    traffic[conversation, default: Traffic()].sent.append((last, now))
    traffic[conversation]?.row.append(last)
    if let original { answered.add(original) }
    if let request { requestIDs.add(request) }
    return Ticket(
      number: last, conversation: conversation, answered: original, requestID: request)
  }

  /// Takes back a request that failed: nothing was sent.
  mutating func fail(_ ticket: Ticket) {
    traffic[ticket.conversation]?.sent.removeAll { $0.number == ticket.number }
    traffic[ticket.conversation]?.row.removeAll { $0 == ticket.number }
    if let original = ticket.answered { answered.remove(original) }
    if let request = ticket.requestID { requestIDs.remove(request) }
  }

  /// Notes the message of another person in a conversation.
  mutating func hear(in conversation: JID) { traffic[conversation.bare]?.row = [] }

  /// The conversations are as many as messages that can be sent within an hour.
  private mutating func forget(before start: Duration) {
    for (conversation, known) in traffic {
      guard let first = known.sent.first, first.time <= start else { continue }
      let sent = known.sent.filter { $0.time > start }
      // The row ends when nothing was sent for an hour.
      traffic[conversation] = sent.isEmpty ? nil : Traffic(sent: sent, row: known.row)
    }
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
  mutating func remove(_ text: String) { known.remove(Array(text.utf8)) }
}

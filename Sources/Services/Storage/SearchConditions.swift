import FoundationEssentials
import NatterCore
import SQLite

/// The conditions of a search on rows of `message`, apart from those that the index checks.
struct SearchConditions {
  private(set) var sql = "message.corrects IS NULL AND message.retraction IS NULL"
  private(set) var arguments: [any SQLConvertible & Sendable] = []

  /// - Parameter isPlain: adds the terms that the index finds, as parts of the text, for messages
  ///   that are not in the index.
  init(_ query: SearchQuery, _ expression: SearchExpression, isPlain: Bool) {
    let terms = (isPlain ? expression.terms.map(\.text) : []) + expression.parts
    let excluded = (isPlain ? expression.excluded.map(\.text) : []) + expression.excludedParts
    for term in terms { add(Self.text, LikePattern.containing(term), count: 2) }
    for term in excluded { add("NOT \(Self.text)", LikePattern.containing(term), count: 2) }
    addPeople(query)
    if let start = query.start { add("message.sent_at >= ?", ColumnCoding.microseconds(start)) }
    if let end = query.end { add("message.sent_at < ?", ColumnCoding.microseconds(end)) }
    for attachment in query.attachments.sorted(by: { $0.rawValue < $1.rawValue }) {
      add(Self.condition(of: attachment))
    }
    if query.isUnread { add(Self.unread) }
  }

  /// Adds that rows are before one in an order, newest first.
  /// - Parameter order: the column of the order, which precedes the id.
  mutating func add(before value: Int64, _ id: Message.ID, by order: String) {
    add("(\(order), message.id) < (?, ?)")
    arguments += [value, id.rawValue]
  }

  private mutating func addPeople(_ query: SearchQuery) {
    var senders = query.senders.map { _ in Self.sender }
    if query.includesUser { senders.append("message.is_outgoing = 1") }
    if !senders.isEmpty {
      add("(\(senders.joined(separator: " OR ")))")
      for name in query.senders { bind(LikePattern.containing(name), count: 4) }
    }
    guard !query.conversations.isEmpty else { return }
    let conversations = query.conversations.map { _ in Self.conversation }
    add("(\(conversations.joined(separator: " OR ")))")
    for name in query.conversations { bind(LikePattern.containing(name), count: 5) }
  }

  private mutating func add(
    _ condition: String, _ argument: (any SQLConvertible & Sendable)? = nil, count: Int = 1
  ) {
    sql += " AND " + condition
    if let argument { bind(argument, count: count) }
  }

  private mutating func bind(_ argument: any SQLConvertible & Sendable, count: Int) {
    arguments += Array(repeating: argument, count: count)
  }

  private static let text =
    #"(message.body LIKE ? ESCAPE '\' OR COALESCE(message.file_name, '') LIKE ? ESCAPE '\')"#

  /// The addresses that have such a name. Two arguments.
  private static let named = #"""
    SELECT jid FROM contact WHERE name LIKE ? ESCAPE '\'
    UNION SELECT jid FROM profile WHERE nickname LIKE ? ESCAPE '\'
    """#

  /// An occupant by the nick, all others by address and names. Four arguments.
  private static let sender = #"""
    ((SELECT kind FROM conversation WHERE id = message.conversation) = 'room'
      AND substr(message.sender, instr(message.sender, '/') + 1) LIKE ? ESCAPE '\'
    OR (SELECT kind FROM conversation WHERE id = message.conversation) <> 'room'
      AND (substr(message.sender, 1, instr(message.sender || '/', '/') - 1) LIKE ? ESCAPE '\'
      OR substr(message.sender, 1, instr(message.sender || '/', '/') - 1) IN (\#(named))))
    """#

  /// By address and names. Five arguments.
  private static let conversation = #"""
    message.conversation IN (SELECT id FROM conversation
      WHERE jid LIKE ? ESCAPE '\' OR name LIKE ? ESCAPE '\' OR jid IN (
        \#(named) UNION SELECT jid FROM room WHERE name LIKE ? ESCAPE '\'))
    """#

  private static let unread = """
    EXISTS (SELECT 1 FROM conversation WHERE id = message.conversation AND unread > 0
      AND message.is_outgoing = 0
      AND (message.position, message.id) >= (first_unread_at, first_unread_id))
    """

  private static func condition(of attachment: SearchQuery.Attachment) -> String {
    switch attachment {
    // As the index message_link has it.
    case .link: "instr(message.body, '://') > 0"
    case .file: "message.file_address IS NOT NULL"
    case .image:
      "message.file_address IS NOT NULL AND \(FileQuery.condition(of: .picture))"
    case .reaction: "message.reactions IS NOT NULL"
    case .location: "message.body LIKE 'geo:%' AND substr(message.body, 5, 1) GLOB '[-0-9]'"
    }
  }
}

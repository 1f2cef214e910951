import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The reactions to a message (XEP-0444) as they are shown: the last of each sender, counted as
/// they arrive.
///
/// A new one costs the same for any number of them: `reaction` has a row for each sender,
/// `reaction_total` the number of senders for each emoji, and the message itself a short text of
/// both, which is read with it.
enum ReactionRecord {
  /// The largest number of senders that are listed with a message, the first ones, and of counted
  /// emoji.
  static let limit = 50

  /// One reaction, as its row of `message` has it.
  struct Statement {
    let row: Int64
    let position: Int64
    let sender: JID
    let isOwn: Bool
    let occupantID: String?
    /// The emoji, separated by spaces.
    let emoji: String

    /// Returns the key of the sender that the reaction counts for.
    /// - Parameter usesNicks: `true` if each resource is another occupant.
    func person(_ usesNicks: Bool) -> String {
      isOwn ? "" : occupantID.map { "\t" + $0 } ?? address(usesNicks).description
    }

    func address(_ usesNicks: Bool) -> JID { usesNicks ? sender : sender.bare }
  }

  /// Adds one more reaction, whose row is stored. `write` has to follow, once for any number of
  /// them.
  static func take(
    _ said: Statement, on message: Int64, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws {
    let state = try db.firstRow(
      """
      SELECT retraction IS NOT NULL, EXISTS (SELECT 1 FROM reaction WHERE message = ?1)
      FROM message WHERE id = ?1
      """, message
    ) { (isRetracted: $0.bool(0), isCounted: $0.bool(1)) }
    guard let state, !state.isRetracted else { return }
    // The first one, or the first since an earlier version that counted them at each read.
    guard state.isCounted else { return try count(message, in: db) }
    let person = said.person(record.usesNicks)
    let known = try db.firstRow(
      """
      SELECT emoji, first_at, first_row, last_at, last_row FROM reaction
      WHERE message = ? AND person = ?
      """, message, person
    ) {
      (
        emoji: $0.string(0), first: ($0.int64(1), $0.int64(2)), last: ($0.int64(3), $0.int64(4))
      )
    }
    let position = (said.position, said.row)
    // Senders who change their reaction keep their position.
    let first = known.map { $0.first < position ? $0.first : position } ?? position
    if let known, known.last > position {
      try db.run(
        "UPDATE reaction SET first_at = ?, first_row = ? WHERE message = ? AND person = ?",
        first.0, first.1, message, person)
      return
    }
    try db.run(
      """
      INSERT OR REPLACE INTO reaction
        (message, person, sender, emoji, first_at, first_row, last_at, last_row)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, message, person, said.address(record.usesNicks).description, said.emoji, first.0,
      first.1, position.0, position.1)
    guard known?.emoji != said.emoji else { return }
    try change(message, by: -1, known?.emoji ?? "", in: db)
    try change(message, by: 1, said.emoji, in: db)
  }

  /// Counts all reactions to a message again and writes them: after rows were removed, or have new
  /// timestamps.
  static func settle(_ message: Int64, in db: DatabaseConnection) throws {
    try count(message, in: db)
    try write(message, in: db)
  }

  private static func count(_ message: Int64, in db: DatabaseConnection) throws {
    try forget(message, in: db)
    let rows = try db.rows(
      """
      SELECT message.id, position, sender, is_outgoing, occupant_id, first_body,
        conversation.kind, conversation.jid
      FROM message JOIN conversation ON conversation.id = message.conversation
      WHERE corrects = ? AND effect = 'reaction' AND (delivery IS NULL OR delivery <> 'failed')
      ORDER BY position, message.id
      """, message
    ) { row in
      (
        said: Statement(
          row: row.int64(0), position: row.int64(1), sender: ColumnCoding.jid(row.string(2)),
          isOwn: row.bool(3), occupantID: row.optionalString(4), emoji: row.string(5)),
        usesNicks: row.string(6) == Conversation.ConversationKind.room.rawValue
          || !ColumnCoding.jid(row.string(7)).isBare
      )
    }
    var positions: [String: Int] = [:]
    var people: [(person: String, first: Statement, last: Statement, address: JID)] = []
    for (said, usesNicks) in rows {
      let person = said.person(usesNicks)
      if let position = positions[person] {
        (people[position].last, people[position].address) = (said, said.address(usesNicks))
      } else {
        positions[person] = people.count
        people.append((person, said, said, said.address(usesNicks)))
      }
    }
    for (person, first, last, address) in people {
      try db.run(
        "INSERT INTO reaction VALUES (?, ?, ?, ?, ?, ?, ?, ?)", message, person,
        address.description, last.emoji, first.position, first.row, last.position, last.row)
      try change(message, by: 1, last.emoji, in: db)
    }
  }

  /// Removes the reactions to a message that was retracted.
  static func forget(_ message: Int64, in db: DatabaseConnection) throws {
    try db.run("DELETE FROM reaction WHERE message = ?", message)
    try db.run("DELETE FROM reaction_total WHERE message = ?", message)
  }

  private static func change(
    _ message: Int64, by step: Int, _ emoji: String, in db: DatabaseConnection
  ) throws {
    var seen: Set<String> = []
    for shown in XEP0444Reactions.emoji(in: emoji) {
      // With or without the variation selector, it is the same emoji.
      let bare = XEP0444Reactions.bare(shown)
      guard seen.insert(bare).inserted else { continue }
      if step > 0 {
        try db.run(
          """
          INSERT INTO reaction_total (message, emoji, shown, people) VALUES (?, ?, ?, 1)
          ON CONFLICT (message, emoji) DO UPDATE SET people = people + 1
          """, message, bare, shown)
      } else {
        try db.run(
          "UPDATE reaction_total SET people = people - 1 WHERE message = ? AND emoji = ?", message,
          bare)
        try db.run(
          "DELETE FROM reaction_total WHERE message = ? AND emoji = ? AND people <= 0", message,
          bare)
      }
    }
  }

  /// Writes the displayed summary of its reactions into the message's row.
  static func write(_ message: Int64, in db: DatabaseConnection) throws {
    func line(_ row: Row) -> (isOwn: Bool, text: String) {
      let isOwn = row.string(0).isEmpty
      return (isOwn, "\(isOwn ? 1 : 0)\t\(row.string(1))\t\(row.string(2))")
    }
    var lines = try db.rows(
      """
      SELECT person, sender, emoji FROM reaction INDEXED BY reaction_order
      WHERE message = ? AND emoji <> '' ORDER BY first_at, first_row LIMIT ?
      """, message, limit + 1, map: line)
    if lines.count > limit {
      lines.removeLast()
      if !lines.contains(where: \.isOwn) {
        lines += try db.rows(
          "SELECT person, sender, emoji FROM reaction WHERE message = ? AND person = '' AND emoji <> ''",
          message, map: line)
      }
      lines += try db.rows(
        """
        SELECT people, shown FROM reaction_total INDEXED BY reaction_total_order
        WHERE message = ? ORDER BY id LIMIT ?
        """, message, limit
      ) { (isOwn: false, text: "+\t\($0.int64(0))\t\($0.string(1))") }
    }
    let text = lines.map(\.text).joined(separator: "\n")
    try db.run(
      "UPDATE message SET reactions = ? WHERE id = ? AND retraction IS NULL",
      text.isEmpty ? nil : text, message)
  }

  // MARK: The written form

  /// Parses the senders that are listed.
  static func reactions(_ text: String) -> [Message.Reaction] {
    fields(of: text).compactMap { parts in
      guard parts[0] != "+" else { return nil }
      return Message.Reaction(
        sender: ColumnCoding.jid(String(parts[1])), isOwn: parts[0] == "1",
        emoji: XEP0444Reactions.emoji(in: String(parts[2])))
    }
  }

  /// Parses the number of senders for each emoji, where not all of them are listed.
  static func totals(_ text: String) -> [Message.ReactionTotal] {
    fields(of: text).compactMap { parts in
      guard parts[0] == "+", let people = Int(parts[1]) else { return nil }
      return Message.ReactionTotal(emoji: String(parts[2]), people: people)
    }
  }

  private static func fields(of text: String) -> [[Substring]] {
    text.split(separator: "\n")
      .map { $0.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false) }
      .filter { $0.count == 3 }
  }
}

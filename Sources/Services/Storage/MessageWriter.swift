import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// Stores the messages that arrive, live, delayed or from an archive.
///
/// Their positions come from `MessageWriter+Positions.swift`.
package struct MessageWriter: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }
}

extension MessageWriter: MessageStoring {
  package func insert(
    _ messages: [IncomingMessage], countsUnread: @Sendable (IncomingMessage) -> Bool
  ) async throws -> StoredMessages {
    let arrivals = Self.arrivals(messages, countsUnread)
    return try await database.storing { database in
      try await database.write { db in try Self.insert(arrivals, in: db) }
    }
  }

  package func arrived(of account: JID) async throws -> IncomingMessage.Arrived {
    let archive = account.bare
    return try await database.storing { database in
      try await database.read { db in
        let newest = try db.firstRow("SELECT MAX(id) FROM message") { $0.optionalInt64(0) ?? 0 }
        let start = try db.firstRow(
          """
          SELECT start_at FROM archive_range WHERE archive = ? AND peer = ''
            ORDER BY end_at DESC, id DESC LIMIT 1
          """, archive.description
        ) { ColumnCoding.date($0.int64(0)) }
        return IncomingMessage.Arrived(
          newest: Message.ID(newest ?? 0),
          stretch: start.map { IncomingMessage.Arrived.Stretch(archive: archive, start: $0) })
      }
    }
  }

  typealias Arrival = (message: IncomingMessage, counts: Bool)

  static func arrivals(
    _ messages: [IncomingMessage], _ countsUnread: @Sendable (IncomingMessage) -> Bool
  ) -> [Arrival] {
    messages.map { (message: $0, counts: $0.direction == .incoming && countsUnread($0)) }
  }

  /// - Parameter position: gets the rows of conversation and message of each new one, in order.
  static func insert(
    _ arrivals: [Arrival], in db: DatabaseConnection,
    reporting position: (_ conversation: Int64, _ row: Int64) -> Void = { _, _ in }
  ) throws -> StoredMessages {
    var stored = StoredMessages()
    var records: [JID: ConversationRecord] = [:]
    var changed: [JID] = []
    // The last stored message that had waited at the server, by conversation.
    var waited: [JID: Message.ID] = [:]
    // Messages that were reacted to: their reactions are written once for the batch.
    var reacted: Set<Int64> = []
    // The last position ahead of the clock, by conversation.
    var ahead: [JID: Int64?] = [:]
    var words = KeywordMentions()
    for (arrival, counts) in arrivals {
      var message = arrival
      // A full JID as conversation means a room occupant.
      let jid = try ConversationRecord.key(of: message.conversation, isOccupant: true, in: db)
      message.conversation = jid
      if case .callEnd(let call, let end) = message.payload {
        let position = try CallRecord.end(call, end, from: jid, noting: &stored, &records, in: db)
        if let position, !changed.contains(position) { changed.append(position) }
        continue
      }
      message = try message.withCallState(in: db)
      var record =
        try records[jid]
        ?? ConversationRecord.findOrCreate(
          jid, isHidden: message.effect != nil, isOccupant: true, in: db)
      defer { records[jid] = record }
      if let known = try MessageRecord.known(message, in: record, db) {
        position(record.rowID, known)
        try MessageRecord.complete(known, with: message, in: db)
        let isRoom = record.conversation.kind == .room
        let hasChanged =
          try (message.direction == .outgoing || isRoom)
          && settle(known, by: message, inRoom: isRoom, in: db)
        if hasChanged {
          stored.note(try db.firstRow(OutboxQuery.byID, known, map: MessageRecord.message))
        }
        if isRoom, !message.isArchived, !message.isDelayed {
          stored.note(all: try reorder(reflected: known, in: record.rowID, db))
        }
        stored.note(all: try Adoption.news(of: message, known, in: &record, reacted: &reacted, db))
        continue
      }
      if let follows = message.follows,
        let last = try MessageRecord.time(followedBy: follows, last: waited[jid], in: record, db),
        last >= message.placedAt
      {
        // Never after what follows: only its time distinguishes the two.
        let room = max(0, follows.before.timeIntervalSince(last) / 2)
        message.placedAt = last + min(follows.room, room)
      } else if message.comesLive {
        let last = try ahead[jid] ?? MessageRecord.ahead(of: message.placedAt, in: record, db)
        ahead[jid] = .some(last)
        let time = ColumnCoding.microseconds(message.placedAt)
        if let last, last >= time {
          let position = MessagePlacer.position(at: time, below: last)
          ahead[jid] = position
          message.placedAt = ColumnCoding.date(position)
        }
      }
      // An outgoing message that arrives was sent by another client of this account.
      let delivery: Delivery? = message.direction == .outgoing ? .sent : nil
      if message.effect != nil {
        stored.note(
          all: try EffectRecord.insert(
            message, delivery: delivery, in: record, reacted: &reacted, db))
        record.hasWaiting = nil
        continue
      }
      if let target = try CorrectionRecord.target(of: message, in: record, db) {
        stored.note(
          try CorrectionRecord.insert(
            message, delivery: delivery, correcting: target, conversation: record.rowID, in: db))
        stored.note(
          all: try Adoption.adopt(for: target, message, in: &record, reacted: &reacted, db))
        continue
      }
      var new = try MessageRecord.insert(
        message, delivery: delivery, conversation: record.rowID, in: db)
      position(record.rowID, new.id.rawValue)
      if message.follows?.arrived != nil, new.direction == .incoming { waited[jid] = new.id }
      if message.replaces != nil { record.hasWaiting = nil }
      let absorbed =
        try Adoption.mayBeChanged(in: &record, db)
        ? CorrectionRecord.adopt(for: new.id.rawValue, message, in: record, db) : []
      if !absorbed.isEmpty {
        stored.absorb(absorbed, in: jid)
        new = try db.firstRow(OutboxQuery.byID, new.id.rawValue, map: MessageRecord.message) ?? new
      }
      let others = try Adoption.adopt(
        for: new.id.rawValue, message, in: &record, reacted: &reacted, db)
      new = others.last { $0.id == new.id } ?? new
      stored.messages.append(new)
      stored.note(all: others.filter { $0.id != new.id })
      if !changed.contains(jid) { changed.append(jid) }
      let countsUnread = counts && !new.isRetracted && !message.isSettledCall
      let isMention =
        try countsUnread
        && (message.isMention || words.match(message, in: record.conversation, db))
      record.receive(new, countsUnread: countsUnread, isMention: isMention)
      // A user who writes there has read everything before.
      if new.direction == .outgoing, !message.isOwnByName,
        new.position.time == record.conversation.lastActivity
      {
        record.markRead()
      }
    }
    for row in reacted.sorted() {
      try ReactionRecord.write(row, in: db)
      stored.note(try db.firstRow(OutboxQuery.byID, row, map: MessageRecord.message))
    }
    let conversations = changed.compactMap { records[$0] }
    for record in conversations { try record.save(in: db) }
    try SearchIndex.takeUpMany(in: db)
    stored.conversations = conversations.map(\.conversation)
    return stored
  }

  /// The reflection of a local message proves that the server has it, but archives also have
  /// refused ones. A room reflects only what all occupants got.
  private static func settle(
    _ id: Int64, by message: IncomingMessage, inRoom isRoom: Bool, in db: DatabaseConnection
  ) throws -> Bool {
    guard try isRoom || RefusedCopyRecord.counts(message.stanzaID, of: id, in: db) else {
      return false
    }
    try db.run(
      """
      UPDATE message SET delivery = 'sent', failure = NULL WHERE id = ?
        AND (delivery = 'queued' OR delivery = 'failed' AND (? OR attempted_at IS NOT NULL))
      """, id, isRoom)
    return db.changes > 0
  }
}

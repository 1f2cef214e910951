import NatterCore
import SQLite
import XMPP

/// The receipts and markers that are due, and the read positions, in the account's database.
package struct ReadStateStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }

  private func write<Value: Sendable>(
    _ body: @Sendable (DatabaseConnection) throws -> Value
  ) async throws -> Value {
    try await database.storing { try await $0.write(body) }
  }

  private func rows<Value: Sendable>(_ sql: String, _ map: @Sendable (Row) throws -> Value)
    async throws -> [Value]
  {
    try await database.storing { try await $0.read { try $0.rows(sql, map: map) } }
  }
}

extension ReadStateStore: ReadStateStoring {
  // MARK: Receipts

  package func addReceipts(_ requests: [ReceiptRequest]) async throws {
    guard !requests.isEmpty else { return }
    try await write { db in
      for request in requests {
        try db.run(
          "INSERT OR IGNORE INTO receipt_due VALUES (?, ?)", request.sender.description, request.id)
      }
    }
  }

  package func receiptsDue() async throws -> [ReceiptRequest] {
    try await rows("SELECT sender, id FROM receipt_due ORDER BY sender, id") {
      ReceiptRequest(sender: ColumnCoding.jid($0.string(0)), id: $0.string(1))
    }
  }

  package func removeReceipts(_ requests: [ReceiptRequest]) async throws {
    guard !requests.isEmpty else { return }
    try await write { db in
      for request in requests {
        try db.run(
          "DELETE FROM receipt_due WHERE sender = ? AND id = ?", request.sender.description,
          request.id)
      }
    }
  }

  // MARK: Markers

  package func addMarkable(_ markers: [ReadMarker]) async throws {
    guard !markers.isEmpty else { return }
    try await write { db in
      for marker in markers {
        let record = try ConversationRecord.find(marker.conversation, in: db)
        var state = try ReadStateRecord.find(marker.conversation, in: db)
        if record?.conversation.unread == 0 {
          (state.markableID, state.markerDue) = (nil, marker.id)
        } else {
          state.markableID = marker.id
        }
        try state.save(in: db)
      }
    }
  }

  package func markersDue() async throws -> [ReadMarker] {
    try await rows("SELECT conversation, marker_due FROM read_state WHERE marker_due IS NOT NULL") {
      ReadMarker(conversation: ColumnCoding.jid($0.string(0)), id: $0.string(1))
    }
  }

  package func removeMarkers(_ markers: [ReadMarker]) async throws {
    guard !markers.isEmpty else { return }
    try await write { db in
      for marker in markers {
        try db.run(
          "UPDATE read_state SET marker_due = NULL WHERE conversation = ? AND marker_due = ?",
          marker.conversation.bare.description, marker.id)
      }
    }
  }

  // MARK: Reading on this client

  package func markRead(_ conversation: JID, isCaughtUp: Bool) async throws -> Conversation? {
    try await write { db -> Conversation? in
      guard var record = try ConversationRecord.find(conversation, in: db) else { return nil }
      record.markRead()
      try record.save(in: db)
      // A private message of an occupant is not among the messages that were read in the room.
      guard record.conversation.jid.isBare else { return record.conversation }
      var state = try ReadStateRecord.find(conversation, in: db)
      let before = state
      state.isKeptUnread = false
      if let id = state.markableID { (state.markableID, state.markerDue) = (nil, id) }
      if let newest = try StoredPosition.newestArchived(in: record.rowID, db),
        newest != state.displayedID
      {
        let isKnown = try state.displayedID.map {
          try StoredPosition.archived($0, in: record.rowID, db) != nil
        }
        if isCaughtUp || isKnown ?? true {
          (state.displayedID, state.isPublished) = (newest, false)
        }
      }
      if state != before { try state.save(in: db) }
      return record.conversation
    }
  }

  package func markUnread(_ conversation: JID) async throws -> Conversation? {
    try await write { try ConversationRecord.markUnread(conversation, in: $0) }
  }

  package func positionsDue() async throws -> [ReadPosition] {
    try await rows(
      """
      SELECT read_state.conversation, kind, displayed_id FROM read_state
        JOIN conversation ON conversation.jid = read_state.conversation
      WHERE is_published = 0 AND displayed_id IS NOT NULL
      """
    ) {
      ReadPosition(
        conversation: ColumnCoding.jid($0.string(0)),
        kind: Conversation.ConversationKind(rawValue: $0.string(1)) ?? .direct,
        stanzaID: $0.string(2))
    }
  }

  package func settlePosition(_ position: ReadPosition) async throws {
    try await write { db in
      try db.run(
        "UPDATE read_state SET is_published = 1 WHERE conversation = ? AND displayed_id = ?",
        position.conversation.bare.description, position.stanzaID)
    }
  }

  // MARK: Reading on another client

  package func apply(_ positions: [ReadPosition]) async throws
    -> (changed: [Conversation], waiting: [JID], unseen: [JID])
  {
    try await write { db in
      var changed: [Conversation] = []
      var (waiting, unseen): ([JID], [JID]) = ([], [])
      for position in positions {
        let jid = position.conversation.bare
        var state = try ReadStateRecord.find(jid, in: db)
        let record = try ConversationRecord.find(jid, in: db)
        guard let record,
          let location = try StoredPosition.archived(position.stanzaID, in: record.rowID, db)
        else {
          // An unpublished position of this client is newer than the known positions of the others.
          guard state.isPublished else { continue }
          waiting.append(jid)
          if state.displayedID == nil || position.isFirst { unseen.append(jid) }
          state.displayedID = position.stanzaID
          try state.save(in: db)
          continue
        }
        let known = try state.displayedID.flatMap {
          try StoredPosition.archived($0, in: record.rowID, db)
        }
        if let known, known > location || state.isKeptUnread && known == location { continue }
        state.isKeptUnread = false
        let isFirst = position.isFirst || state.displayedID == nil
        (state.displayedID, state.isPublished) = (position.stanzaID, true)
        if isFirst, let conversation = try record.unread(after: location, in: db) {
          changed.append(conversation)
        } else if let conversation = try record.read(upTo: location, in: db) {
          changed.append(conversation)
          if conversation.unread == 0 { state.markableID = nil }
        }
        try state.save(in: db)
      }
      return (changed, waiting, unseen)
    }
  }

  package func applyOwnMarker(_ marker: ReadMarker) async throws -> Conversation? {
    try await write { db -> Conversation? in
      guard let record = try ConversationRecord.find(marker.conversation, in: db),
        let location = try StoredPosition.named(marker.id, isOutgoing: false, in: record.rowID, db)
      else { return nil }
      let conversation = try record.read(upTo: location, in: db)
      var state = try ReadStateRecord.find(marker.conversation, in: db)
      // The other client has sent a marker to the sender: for messages that were read here before,
      // and for those up to its position. Later ones still need a marker.
      let due = try state.markerDue.flatMap {
        try StoredPosition.named($0, isOutgoing: false, in: record.rowID, db)
      }
      let isReported = state.markerDue == marker.id || due.map { !($0 > location) } ?? false
      let isRead = conversation?.unread == 0
      if isReported || isRead {
        state.markerDue = nil
        if isRead { state.markableID = nil }
        try state.save(in: db)
      }
      return conversation
    }
  }

  package func applyMarker(_ marker: ReadMarker) async throws -> [Message] {
    try await write { db -> [Message] in
      // The marker of one occupant says nothing about all the others.
      guard let record = try ConversationRecord.find(marker.conversation, in: db),
        record.conversation.kind != .room,
        let location = try StoredPosition.named(marker.id, isOutgoing: true, in: record.rowID, db)
      else { return [] }
      // In any delivery state, the message of the marker was read. The marker covers earlier
      // messages, too.
      try db.run(
        "UPDATE message SET delivery = 'read', failure = NULL WHERE id = ? AND delivery <> 'read'",
        location.id)
      var ids = db.changes > 0 ? [location.id] : []
      ids += try db.rows(
        """
        SELECT id FROM message WHERE conversation = ? AND delivery IN ('sent', 'delivered')
          AND (position < ? OR (position = ? AND id < ?))
        """, record.rowID, location.time, location.time, location.id
      ) { $0.int64(0) }
      return try ids.sorted().compactMap { id in
        try db.run("UPDATE message SET delivery = 'read', failure = NULL WHERE id = ?", id)
        return try db.firstRow(OutboxQuery.byID, id, map: MessageRecord.message)
      }
    }
  }
}

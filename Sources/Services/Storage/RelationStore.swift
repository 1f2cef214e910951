import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// Corrections, reactions and retractions of the user: messages of the outbox that change another
/// message.
package struct RelationStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }
}

extension RelationStore: RelationStoring {
  package func enqueueCorrection(
    of id: Message.ID, body: String, from sender: JID, originID: String, at date: Date
  ) async throws -> Message? {
    try await database.storing { database in
      try await database.write { db in
        guard
          let target = try db.firstRow(OutboxQuery.byID, id.rawValue, map: MessageRecord.message),
          target.direction == .outgoing, target.file == nil, !target.isRetracted,
          let replaced = target.originID,
          let record = try ConversationRecord.find(target.conversation, in: db)
        else { return nil }
        if case .failed = target.delivery { return nil }
        var typed = IncomingMessage(
          conversation: target.conversation, sender: sender, direction: .outgoing, body: body,
          sentAt: date, originID: originID)
        (typed.replaces, typed.reply) = (replaced, target.reply)
        typed.thread = target.thread
        let corrected = try CorrectionRecord.insert(
          typed, delivery: .queued, correcting: target.id.rawValue, conversation: record.rowID,
          in: db)
        try SearchIndex.takeUpMany(in: db)
        return corrected
      }
    }
  }

  package func enqueueReaction(
    _ emoji: String, to id: Message.ID, from sender: JID, originID: String, at date: Date
  ) async throws -> Message? {
    try await database.storing { database in
      try await database.write { db in
        guard
          let target = try db.firstRow(OutboxQuery.byID, id.rawValue, map: MessageRecord.message),
          !target.isRetracted, XEP0444Reactions.isFit(emoji),
          let record = try ConversationRecord.find(target.conversation, in: db),
          let reference = target.reference(inRoom: record.conversation.kind == .room)
        else { return nil }
        var own = target.reactions.first(where: \.isOwn)?.emoji ?? []
        let same = own.firstIndex { XEP0444Reactions.bare($0) == XEP0444Reactions.bare(emoji) }
        if let same { own.remove(at: same) } else { own.append(emoji) }
        // An earlier reaction that was not sent yet is obsolete.
        try db.run(
          """
          DELETE FROM message WHERE corrects = ? AND effect = 'reaction' AND delivery = 'queued'
            AND attempted_at IS NULL
          """, target.id.rawValue)
        var typed = IncomingMessage(
          conversation: target.conversation, sender: sender, direction: .outgoing,
          body: own.joined(separator: " "), sentAt: date, originID: originID)
        (typed.effect, typed.replaces) = (.reaction, reference)
        var reacted: Set<Int64> = []
        _ = try EffectRecord.insert(
          typed, delivery: .queued, on: target.id.rawValue, in: record, reacted: &reacted, db)
        try ReactionRecord.settle(target.id.rawValue, in: db)
        try SearchIndex.takeUpMany(in: db)
        return try db.firstRow(OutboxQuery.byID, target.id.rawValue, map: MessageRecord.message)
      }
    }
  }

  package func enqueueRetraction(
    of id: Message.ID, from sender: JID, originID: String, at date: Date
  ) async throws -> OutboxRetraction? {
    try await database.storing { database in
      try await database.write { db in
        guard
          let target = try db.firstRow(OutboxQuery.byID, id.rawValue, map: MessageRecord.message),
          target.direction == .outgoing, !target.isRetracted,
          let record = try ConversationRecord.find(target.conversation, in: db)
        else { return nil }
        let hasStayed = try db.firstRow(
          """
          SELECT 1 FROM message WHERE id = ?
            AND (delivery = 'failed' OR delivery = 'queued' AND attempted_at IS NULL)
          """, target.id.rawValue
        ) { _ in true }
        if hasStayed == true {
          try EffectRecord.forgetTyped(target.id.rawValue, in: db)
          return try OutboxStore.remove(target.id, in: db).map { _ in .gone }
        }
        guard let reference = target.reference(inRoom: record.conversation.kind == .room) else {
          return nil
        }
        var typed = IncomingMessage(
          conversation: target.conversation, sender: sender, direction: .outgoing, body: "",
          sentAt: date, originID: originID)
        (typed.effect, typed.replaces) = (.retraction, reference)
        var reacted: Set<Int64> = []
        let changed = try EffectRecord.insert(
          typed, delivery: .queued, on: target.id.rawValue, in: record, reacted: &reacted, db)
        try SearchIndex.takeUpMany(in: db)
        return .retracted(changed)
      }
    }
  }
}

import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// Gives the new messages of an archive's page their place among those of it that came by another road before.
///
/// The database orders by time. What was typed here keeps the time of typing, and is no measure; everything else that is
/// known is where the archive has it, so that what is new comes after the one before it and before the one after it.
struct PagePlaces {
  /// The page with times that keep the order.
  let arrivals: [MessageStore.Arrival]
  /// From the first to the last of them, as they are stored then; `nil` where none was known: as the page says.
  let stretch: ClosedRange<Date>?

  /// - Parameter page: in the archive's order.
  init(of page: [MessageStore.Arrival], in db: DatabaseConnection) throws {
    var known: [Date?] = []
    var records: [JID: ConversationRecord?] = [:]
    for (message, _) in page {
      let jid = try ConversationRecord.key(of: message.conversation, in: db)
      let record = try records[jid] ?? ConversationRecord.find(jid, in: db)
      records[jid] = record
      known.append(try record.flatMap { try Self.place(of: message, in: $0, db) })
    }
    guard known.contains(where: { $0 != nil }) else {
      stretch = nil
      arrivals = page
      return
    }
    arrivals = Self.placed(page, among: known)
    let times = zip(arrivals, known).map { $1 ?? $0.message.sentAt }
    stretch = times.min().flatMap { first in times.max().map { first...$0 } }
  }

  /// When `message` was sent as it is stored; `nil` where it is not, or tells nothing.
  static func place(of message: IncomingMessage, in db: DatabaseConnection) throws -> Date? {
    let jid = try ConversationRecord.key(of: message.conversation, in: db)
    return try ConversationRecord.find(jid, in: db).flatMap { try place(of: message, in: $0, db) }
  }

  /// Where a known message stands; `nil` for what is new, or tells nothing.
  private static func place(
    of message: IncomingMessage, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> Date? {
    guard let id = try MessageRecord.known(message, in: record, db) else { return nil }
    return try db.firstRow(
      "SELECT sent_at FROM message WHERE id = ? AND (is_outgoing = 0 OR attempted_at IS NULL)", id
    ) { StoredForm.date($0.int64(0)) }
  }

  /// - Parameter known: for each message its time in the database; `nil`: it is to get one.
  static func placed(_ page: [MessageStore.Arrival], among known: [Date?])
    -> [MessageStore.Arrival]
  {
    var placed = page
    let measured = Set(zip(page, known).compactMap { $1 == nil ? nil : $0.message.conversation })
    for index in page.indices where measured.contains(page[index].message.conversation) {
      placed[index].message.follows = nil
    }
    var ceilings: [JID: Date] = [:]
    for index in page.indices.reversed() {
      let jid = page[index].message.conversation
      if let time = known[index] {
        ceilings[jid] = min(ceilings[jid] ?? time, time)
      } else if let ceiling = ceilings[jid] {
        let time = min(page[index].message.sentAt, ceiling - step)
        placed[index].message.sentAt = time
        ceilings[jid] = time
      }
    }
    var floors: [JID: Date] = [:]
    for index in page.indices {
      let jid = page[index].message.conversation
      if let time = known[index] {
        floors[jid] = max(floors[jid] ?? time, time)
      } else if let floor = floors[jid], placed[index].message.sentAt <= floor {
        placed[index].message.sentAt = floor + step
        floors[jid] = floor + step
      }
    }
    return placed
  }

  /// Two of the column's units: a time that was rounded stays on its side.
  private static let step = 0.000_002
}

import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// Gives the messages of an archive's page their positions among those of it that are already
/// stored.
///
/// The database orders by time. Local messages are no anchors (`LocalPositions` moves them); all
/// other known messages are in archive order, so a new message goes after the one before it and
/// before the one after it.
///
/// Servers deliver in another order than their archive's when a connection breaks: stanzas that the
/// old connection had not acknowledged are sent again behind later ones, with their transit
/// timestamps. The page corrects that: the existing timestamps are reassigned in archive order.
struct PagePositions {
  /// The page, with timestamps that keep the order.
  let arrivals: [MessageWriter.Arrival]
  /// The known messages that were in another order than the archive's, by row, with new timestamps.
  let moved: [Int64: Date]
  /// The timestamps from the first to the last message, as they will be stored; `nil` where none
  /// was known: those of the page apply.
  let stretch: ClosedRange<Date>?
  /// The archive id of the last message whose timestamp shows its position in the archive: the last
  /// that is not local; `nil`: none.
  let anchor: String?
  /// The archive id of the last local message; `nil`: none.
  let typedAnchor: String?

  /// The stored neighbours right before and right after a page; `nil`: unknown.
  struct Neighbours {
    var end: Edge?
    var start: Date?
    /// The rows of the messages that the following range begins and ends with. A page that contains
    /// either is not the page before it: the server does not know the id of the query.
    var edges: Set<Int64> = []
    /// Other ranges, inside which a page before `start` may begin, or a page after `end` may end.
    var lower: [ArchiveRange] = []
    var upper: [ArchiveRange] = []
  }

  /// A message that a range begins or ends with.
  struct Edge {
    let row: Int64
    let time: Date
    /// `true` for a local message.
    let isTyped: Bool
  }

  /// The sort key of a conversation; a new message's row comes last.
  struct Position: Comparable {
    let time: Date
    let row: Int64
    static func < (left: Position, right: Position) -> Bool {
      (left.time, left.row) < (right.time, right.row)
    }
  }

  /// The stored position of a message.
  struct StoredState {
    let conversation: Int64
    let row: Int64
    let time: Date
    var position: Position { Position(time: time, row: row) }
    var stored: LocalPositions.Position {
      LocalPositions.Position(time: ColumnCoding.microseconds(time), row: row)
    }
    /// `true` for a local message.
    let isTyped: Bool
  }

  /// - Parameter page: in the archive's order.
  init(
    of page: [MessageWriter.Arrival], between neighbours: Neighbours = Neighbours(),
    in db: DatabaseConnection
  ) throws {
    var storedStates: [StoredState?] = []
    var records: [JID: ConversationRecord?] = [:]
    for (message, _) in page {
      let jid = try ConversationRecord.key(of: message.conversation, isOccupant: true, in: db)
      let record = try records[jid] ?? ConversationRecord.find(jid, in: db)
      records[jid] = record
      storedStates.append(try record.flatMap { try Self.storedState(of: message, in: $0, db) })
    }
    let backwards = zip(page, storedStates).reversed()
    anchor = backwards.first { $1?.isTyped != true }?.0.message.stanzaID
    typedAnchor = backwards.first { $1?.isTyped == true }?.0.message.stanzaID
    let known = storedStates.map { $0?.isTyped == false ? $0?.time : nil }
    guard known.contains(where: { $0 != nil }) else {
      (arrivals, moved, stretch) = (page, [:], nil)
      return
    }
    var positioned = Self.positioned(page, among: known)
    let inside = try Inside(
      of: zip(page, storedStates).filter { $1?.isTyped != true }.map {
        ($0.message.conversation, $1)
      },
      neighbours, db)
    let end = neighbours.end.flatMap { end in
      // The part of a continuing page that was known before moves with it, and keeps its order.
      let isMet = neighbours.start != nil && storedStates.contains { $0?.row == end.row }
      return end.isTyped || isMet ? nil : end.time
    }
    let start = neighbours.start.flatMap { start in
      storedStates.contains { neighbours.edges.contains($0?.row ?? 0) } ? nil : start
    }
    let ordered = Self.ordered(
      zip(positioned, storedStates).map {
        arrival, storedState -> (conversation: JID, position: Position)? in
        guard let storedState else {
          return (arrival.message.conversation, Position(time: arrival.message.placedAt, row: .max))
        }
        return storedState.isTyped ? nil : (arrival.message.conversation, storedState.position)
      },
      after: { [end, inside.floors[$0]].compactMap { $0 }.max() },
      before: { [start, inside.ceilings[$0]].compactMap { $0 }.min() })
    var moved: [Int64: Date] = [:]
    for (index, time) in ordered {
      if let storedState = storedStates[index] {
        moved[storedState.row] = time
      } else {
        positioned[index].message.placedAt = time
      }
    }
    // The timestamps of local messages are no reference, nor are those derived from them.
    let all = positioned.indices.map { ordered[$0] ?? known[$0] ?? positioned[$0].message.placedAt }
    let times = zip(all, storedStates).filter { $1?.isTyped != true }.map { time, _ in time }
    (arrivals, self.moved) = (positioned, moved)
    stretch = times.min().flatMap { first in times.max().map { first...$0 } }
  }

  /// Writes the new timestamps. Of the changes of one message the last counts, and the move may
  /// change which is the last.
  /// - Returns: the messages with their new timestamps.
  static func move(_ moved: [Int64: Date], in db: DatabaseConnection) throws -> [Message] {
    for (row, time) in moved {
      try db.run(
        "UPDATE message SET placed_at = NULLIF(?, sent_at) WHERE id = ?",
        ColumnCoding.microseconds(time), row)
    }
    var (corrected, reacted): (Set<Int64>, Set<Int64>) = ([], [])
    for row in moved.keys {
      let change = try db.firstRow(
        "SELECT corrects, effect FROM message WHERE id = ? AND corrects > 0", row
      ) { (target: $0.int64(0), effect: $0.optionalString(1)) }
      guard let change else { continue }
      switch change.effect {
      case nil: corrected.insert(change.target)
      case Message.Effect.reaction.rawValue: reacted.insert(change.target)
      default: break
      }
    }
    for target in corrected.sorted() { try CorrectionRecord.settle(target, in: db) }
    for target in reacted.sorted() { try ReactionRecord.settle(target, in: db) }
    var reported: Set<Message.ID> = []
    // The line above the first unread message keeps its position, above the message now below it.
    return try moved.keys.sorted().compactMap { row in
      try db.run(
        """
        UPDATE conversation SET (first_unread_at, first_unread_id) = (
          SELECT position, message.id FROM message INDEXED BY message_page
          WHERE message.conversation = conversation.id AND is_outgoing = 0 AND corrects IS NULL
            AND position >= first_unread_at
          ORDER BY position, message.id LIMIT 1)
        WHERE id = (SELECT conversation FROM message WHERE id = ?1) AND first_unread_id = ?1
        """, row)
      guard let message = try db.firstRow(OutboxQuery.byID, row, map: MessageRecord.message),
        reported.insert(message.id).inserted
      else { return nil }
      return message
    }
  }

  /// - Parameter positions: conversation and position of each message of a page; `nil`: it is no
  ///   anchor.
  /// - Returns: the new timestamps of those that have to move, by index: the messages of a
  ///   conversation that are in another order than the page's share their existing timestamps.
  private static func ordered(
    _ positions: [(conversation: JID, position: Position)?], after end: (JID) -> Date?,
    before start: (JID) -> Date?
  ) -> [Int: Date] {
    var moved: [Int: Date] = [:]
    let anchors = positions.indices.filter { positions[$0] != nil }
    for (conversation, indices) in Dictionary(
      grouping: anchors, by: { positions[$0]?.conversation })
    {
      let (end, start) = (conversation.flatMap(end), conversation.flatMap(start))
      let its = indices.compactMap { positions[$0]?.position }
      var times = its.map(\.time).sorted()
      guard let first = times.first, let last = times.last else { continue }
      // Only among messages that were in transit at the same time: a larger difference is due to a
      // clock.
      let floor = end.flatMap { first < $0 && first > $0 - reach ? $0 : nil }
      func ceiling(over last: Date) -> Date? {
        start.flatMap { last >= $0 && last < $0 + reach ? $0 : nil }
      }
      let isInOrder = zip(its, its.dropFirst()).allSatisfy { $0 <= $1 }
      if isInOrder, floor == nil, ceiling(over: last) == nil { continue }
      for index in times.indices {
        let lower = index == 0 ? floor : times[index - 1]
        if let lower { times[index] = max(times[index], lower + ArchiveRange.step) }
      }
      // The floor may have moved messages above the ceiling.
      if let ceiling = ceiling(over: max(last, times[times.count - 1])) {
        // Where the space is small they are closer together: at equal timestamps the rows give the
        // order.
        let room = end.map { ceiling.timeIntervalSince($0) / Double(times.count + 1) } ?? 0
        let step = room > 0 ? min(room, ArchiveRange.step) : ArchiveRange.step
        var upper = ceiling
        for index in times.indices.reversed() {
          upper = min(times[index], upper - step)
          times[index] = upper
        }
      }
      for (index, time) in zip(indices, times) where positions[index]?.position.time != time {
        moved[index] = time
      }
    }
    return moved
  }

  /// The stored timestamp of `message`; `nil` where it is not stored, or is no reference.
  static func position(of message: IncomingMessage, in db: DatabaseConnection) throws -> Date? {
    let jid = try ConversationRecord.key(of: message.conversation, isOccupant: true, in: db)
    let known = try ConversationRecord.find(jid, in: db).flatMap {
      try storedState(of: message, in: $0, db)
    }
    return known?.isTyped == false ? known?.time : nil
  }

  /// The stored position of a known message; `nil` for a new one.
  private static func storedState(
    of message: IncomingMessage, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> StoredState? {
    guard let id = try MessageRecord.known(message, in: record, db) else { return nil }
    return try db.firstRow(
      "SELECT position, is_outgoing = 1 AND attempted_at IS NOT NULL FROM message WHERE id = ?", id
    ) {
      StoredState(
        conversation: record.rowID, row: id, time: ColumnCoding.date($0.int64(0)),
        isTyped: $0.bool(1))
    }
  }

  /// - Parameter known: the timestamp of each message in the database; `nil`: it is to get one.
  static func positioned(_ page: [MessageWriter.Arrival], among known: [Date?])
    -> [MessageWriter.Arrival]
  {
    var positioned = page
    let anchored = Set(zip(page, known).compactMap { $1 == nil ? nil : $0.message.conversation })
    for index in page.indices where anchored.contains(page[index].message.conversation) {
      positioned[index].message.follows = nil
    }
    var ceilings: [JID: Date] = [:]
    for index in page.indices.reversed() {
      let jid = page[index].message.conversation
      if let time = known[index] {
        ceilings[jid] = min(ceilings[jid] ?? time, time)
      } else if let ceiling = ceilings[jid] {
        let time = min(page[index].message.placedAt, ceiling - ArchiveRange.step)
        positioned[index].message.placedAt = time
        ceilings[jid] = time
      }
    }
    var floors: [JID: Date] = [:]
    for index in page.indices {
      let jid = page[index].message.conversation
      if let time = known[index] {
        floors[jid] = max(floors[jid] ?? time, time)
      } else if let floor = floors[jid], positioned[index].message.placedAt <= floor {
        positioned[index].message.placedAt = floor + ArchiveRange.step
        floors[jid] = floor + ArchiveRange.step
      }
    }
    return positioned
  }

  /// The seconds that simultaneous messages may be apart: servers take that long to notice that a
  /// connection broke and keep its session, before they send again what was in transit in it.
  private static let reach: TimeInterval = 900
}

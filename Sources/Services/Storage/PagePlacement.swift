import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The positions of the messages of an archive's page among those of it that are already stored.
struct PagePlacement {
  /// The page, with positions that keep the order.
  private(set) var arrivals: [MessageWriter.Arrival]
  /// The known messages that were in another order than the archive's.
  let moved: MessagePlacer
  /// The times from the first to the last message, as they will be stored; `nil` where none was
  /// known: those of the page apply.
  let stretch: ClosedRange<Date>?
  /// The archive id of the last message whose position shows that in the archive: the last that is
  /// not local; `nil`: none.
  let anchor: String?
  /// The archive id of the last local message; `nil`: none.
  let localAnchor: String?

  /// The stored neighbours right before and right after a page; `nil`: unknown.
  struct Neighbours {
    var end: MessagePlacer.Entry?
    var start: Int64?
    /// The rows of the messages that the following range begins and ends with. A page that contains
    /// either is not the page before it: the server does not know the id of the query.
    var edges: Set<Int64> = []
    /// Other ranges, inside which a page before `start` may begin, or a page after `end` may end.
    var lower: [ArchiveRange] = []
    var upper: [ArchiveRange] = []
  }

  /// - Parameter page: in the archive's order.
  init(
    of page: [MessageWriter.Arrival], between neighbours: Neighbours = Neighbours(),
    in db: DatabaseConnection
  ) throws {
    var conversations: [JID: ConversationRecord?] = [:]
    let messages = try page.map { message, _ in
      let jid = message.conversation
      let record = try conversations[jid] ?? Self.record(of: message, in: db)
      conversations[jid] = record
      return MessagePlacer.PageMessage(
        wanted: ColumnCoding.microseconds(message.placedAt),
        stored: try record.flatMap { try Self.stored(message, in: $0, db) })
    }
    let backwards = zip(page, messages).reversed()
    anchor = backwards.first { $1.isAnchor }?.0.message.stanzaID
    localAnchor = backwards.first { !$1.isAnchor }?.0.message.stanzaID
    arrivals = page
    guard messages.contains(where: \.isKnown) else {
      (moved, stretch) = (MessagePlacer(), nil)
      return
    }
    let rows = Set(messages.compactMap(\.stored?.row))
    var times: [Date] = []
    var moves: [Int64: Int64] = [:]
    for indices in Dictionary(grouping: page.indices, by: { page[$0].message.conversation }).values
    {
      let its = indices.map { messages[$0] }
      let limits = try Self.limits(of: its, neighbours, besides: rows, db)
      let isKnown = its.contains(where: \.isKnown)
      let positions = MessagePlacer.positions(of: its, after: limits.end, before: limits.start)
      for (index, position) in zip(indices, positions) {
        let message = messages[index]
        if isKnown { arrivals[index].message.follows = nil }
        if message.stored == nil, position != message.wanted {
          arrivals[index].message.placedAt = ColumnCoding.date(position)
        } else if message.isKnown, let stored = message.stored, stored.position != position {
          moves[stored.row] = position
        }
        // The positions of local messages are no reference, nor are those derived from them.
        guard message.isAnchor else { continue }
        times.append(
          message.isKnown ? ColumnCoding.date(position) : arrivals[index].message.placedAt)
      }
    }
    moved = MessagePlacer(moves: moves)
    stretch = times.min().flatMap { first in times.max().map { first...$0 } }
  }

  /// The positions that limit the part of the page that is of one conversation.
  private static func limits(
    of page: [MessagePlacer.PageMessage], _ neighbours: Neighbours, besides rows: Set<Int64>,
    _ db: DatabaseConnection
  ) throws -> (end: MessagePlacer.Entry?, start: Int64?) {
    // The part of a continuing page that was known before moves with it, and keeps its order.
    var end = neighbours.end.flatMap { end in
      end.isLocal || neighbours.start != nil && rows.contains(end.row) ? nil : end
    }
    var start = rows.isDisjoint(with: neighbours.edges) ? neighbours.start : nil
    // Inside a known range, the page must not move its messages above what precedes it there, nor
    // below what follows it.
    let reader = PlacementReader(in: db)
    let anchors = page.filter(\.isAnchor)
    if let first = anchors.first?.stored, let range = neighbours.lower.first(with: first),
      let before = try reader.anchor(
        .before, first.position, in: first.conversation, besides: rows),
      before.key < first.key, before.time >= range.start.at
    {
      end = end.map { $0.key > before.key ? $0 : before } ?? before
    }
    if let last = anchors.last?.stored, let range = neighbours.upper.first(with: last),
      let behind = try reader.anchor(
        .behind, last.position, in: last.conversation, besides: rows),
      behind.key > last.key, behind.time <= range.end.at
    {
      start = min(start ?? behind.position, behind.position)
    }
    return (end, start)
  }

  /// The stored time of `message`; `nil` where it is not stored, or its position is no reference.
  static func time(of message: IncomingMessage, in db: DatabaseConnection) throws -> Date? {
    let known = try record(of: message, in: db).flatMap { try stored(message, in: $0, db) }
    return known.flatMap { $0.isLocal ? nil : $0.time }
  }

  private static func record(of message: IncomingMessage, in db: DatabaseConnection) throws
    -> ConversationRecord?
  {
    let jid = try ConversationRecord.key(of: message.conversation, isOccupant: true, in: db)
    return try ConversationRecord.find(jid, in: db)
  }

  private static func stored(
    _ message: IncomingMessage, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> MessagePlacer.Entry? {
    try MessageRecord.known(message, in: record, db).flatMap { row in
      try PlacementReader(in: db).entries("FROM message WHERE id = ?", [row]).first
    }
  }
}

extension [ArchiveRange] {
  /// The first of the ranges that covers the position of `entry`.
  fileprivate func first(with entry: MessagePlacer.Entry) -> ArchiveRange? {
    first { $0.start.at <= entry.time && entry.time <= $0.end.at }
  }
}

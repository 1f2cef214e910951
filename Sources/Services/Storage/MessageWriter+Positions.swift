import FoundationEssentials
import NatterCore
import SQLite
import XMPP

// The calls of the code that orders messages (`MessagePlacer`): there are no others.
extension MessageWriter {
  /// A page of an archive, as it was stored.
  struct Page {
    /// The changes that storing it made.
    var stored: StoredMessages
    /// The positions of its messages.
    let positions: PagePlacement
    /// The latest new time of a remote message that a local one moved; `nil`: none.
    let latest: Date?
  }

  /// Stores a page of an archive, in the archive's order.
  /// - Parameters:
  ///   - neighbours: what is stored of the archive right beside it.
  ///   - borders: the messages right before and after it; read when the page is stored.
  ///   - later: the archive's ids of messages that follow the page.
  static func insert(
    page: [Arrival], between neighbours: PagePlacement.Neighbours,
    borders: () throws -> MessagePlacer.Borders, before later: Set<String>,
    in db: DatabaseConnection
  ) throws -> Page {
    // The end of a call has no position. Stored first: a call taken elsewhere is never unread.
    let ends = page.filter { $0.message.isCallEnd }
    let positions = try PagePlacement(
      of: page.filter { !$0.message.isCallEnd }, between: neighbours, in: db)
    var moved = try PlacementWriter.write(positions.moved, in: db)
    let floors = try ReadFloors(under: positions.arrivals, in: db)
    var rows: [Int64: [Int64]] = [:]
    var stored = try insert(ends + floors.applied(to: positions.arrivals, in: db), in: db) {
      rows[$0, default: []].append($1)
    }
    stored.belowRead = floors.read(among: stored.messages)
    let local = try PlacementReader(in: db).placement(of: rows, between: borders(), before: later)
    // Messages that were stored since are newer than the moved ones.
    let known = Set(stored.changed.map(\.id))
    stored.changed = moved.filter { !known.contains($0.id) } + stored.changed
    for message in try PlacementWriter.write(local, in: db) {
      stored.note(message)
      moved.append(message)
    }
    for jid in Set(moved.map(\.conversation)).subtracting(stored.conversations.map(\.jid)) {
      // Its first unread message may be another one.
      stored.conversations +=
        try ConversationRecord.find(jid, in: db).map { [$0.conversation] } ?? []
    }
    return Page(
      stored: stored, positions: positions, latest: local.latest.map(ColumnCoding.date))
  }

  /// Gives a local message, which its room reflected now, the position that the room gave it.
  /// - Returns: the moved messages.
  static func reorder(
    reflected row: Int64, in conversation: Int64, _ db: DatabaseConnection
  ) throws -> [Message] {
    let placement = try PlacementReader(in: db).placement(reflected: row, in: conversation)
    return try PlacementWriter.write(placement, in: db)
  }

  /// Returns the archive's positions of the last messages before those local ones that others have
  /// crossed in transit; `messages` is `nil` for all that were not examined yet.
  static func positions(
    beforeCrossed messages: [Message.ID]?, since date: Date, in db: DatabaseConnection
  ) throws -> [ArchivePosition] {
    let reader = PlacementReader(in: db)
    var found: Set<ArchivePosition> = []
    for entry in try reader.unplaced(messages?.map(\.rawValue), since: date) {
      let last = try reader.anchor(.before, .max, in: entry.conversation)
      if let placer = MessagePlacer(accepted: entry, below: last) {
        _ = try PlacementWriter.write(placer, in: db)
      } else {
        found.insert(try reader.lastReceived(before: entry))
      }
    }
    return found.sorted { $0.at < $1.at }
  }
}

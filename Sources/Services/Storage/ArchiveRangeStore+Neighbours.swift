import FoundationEssentials
import NatterCore
import SQLite
import XMPP

// The stored messages of an archive right beside a page of it.
extension ArchiveRangeStore {
  /// The last message of the stored `range` before its end grows, or the first before its start
  /// does; ranges that it takes in end right before the page.
  /// - Parameter ids: by which the archive knows the page's messages.
  static func neighbours(
    of range: ArchiveRange, _ stored: ArchiveRange?, _ adjacency: ArchiveAdjacency,
    after absorbed: [ArchiveRange], with ids: Set<String>, in db: DatabaseConnection
  ) throws -> PagePlacement.Neighbours {
    // It comes after an earlier range even if nothing of it comes right after that.
    let others = try self.others(than: range, absorbed, in: db)
    let before = others.filter { $0.end.at < range.start.at }.max { $0.end.at < $1.end.at }
    let floor = before.map { before in
      MessagePlacer.Entry(
        row: -1, conversation: 0,
        position: ColumnCoding.microseconds(border(after: before.end.at, before: range.start.at)),
        isLocal: false)
    }
    guard adjacency != .unknown else {
      // A page by time may begin within the earlier range.
      let isApart = before.map { !ids.contains($0.end.id) } ?? false
      return PagePlacement.Neighbours(end: isApart ? floor : nil)
    }
    guard let stored else { return PagePlacement.Neighbours(end: floor) }
    let archive = range.archive
    let edges = try [stored.start.id, stored.end.id].map { try edge($0, of: archive, in: db) }
    var neighbours = PagePlacement.Neighbours(edges: Set(edges.compactMap { $0?.row }))
    if stored.start.id != range.start.id {
      // The time of a local message does not show its position in the archive.
      neighbours.start =
        edges[0].flatMap { $0.isLocal ? nil : $0.position }
        ?? ColumnCoding.microseconds(stored.start.at)
      neighbours.end = try absorbed.first.flatMap {
        try last($0.end.id, $0.anchor, of: archive, in: db)
      }
      neighbours.lower =
        absorbed + others.filter { ids.contains($0.end.id) && $0.start.at < stored.start.at }
    } else if range.row != nil, stored.end.id != range.end.id {
      neighbours.end = try last(stored.end.id, stored.anchor, of: archive, in: db)
      neighbours.upper =
        absorbed + others.filter { ids.contains($0.start.id) && $0.end.at > stored.end.at }
    }
    if neighbours.end == nil { neighbours.end = floor }
    return neighbours
  }

  /// The stored messages right before a page that extends `range`, and right after it.
  static func borders(
    of range: ArchiveRange, _ stored: ArchiveRange?, _ adjacency: ArchiveAdjacency,
    after absorbed: [ArchiveRange], in db: DatabaseConnection
  ) throws -> MessagePlacer.Borders {
    typealias Edge = MessagePlacer.Edge
    func end(_ part: ArchiveRange) throws -> Edge {
      let known = try edge(part.end.id, of: range.archive, in: db)
      let last = try known ?? part.anchor.flatMap { try edge($0, of: range.archive, in: db) }
      let reach = part.reachesBeginning ? .distantPast : part.start.at
      return Edge(row: last?.row, at: part.end.at, reach: reach)
    }
    func start(_ part: ArchiveRange) throws -> Edge {
      let first = try edge(part.start.id, of: range.archive, in: db)
      return Edge(row: first?.row, at: part.start.at, reach: part.end.at)
    }
    var borders = MessagePlacer.Borders()
    let others = try others(than: range, absorbed, in: db)
    borders.older = others.map(\.end.at).filter { $0 < range.start.at }.max()
      .map(ColumnCoding.microseconds)
    borders.newer = others.map(\.start.at).filter { $0 > range.end.at }.min()
      .map(ColumnCoding.microseconds)
    guard let stored else { return borders }
    if let other = absorbed.first {
      // By what came late and by what was typed they may overlap.
      let parts = [stored, other].sorted { $0.start.at < $1.start.at }
      if parts[0].end.at < parts[1].end.at {
        (borders.end, borders.start) = (try end(parts[0]), try start(parts[1]))
        return borders
      }
    }
    guard adjacency != .unknown else { return borders }
    if stored.start.id != range.start.id {
      borders.start = try start(stored)
    } else if range.row != nil, stored.end.id != range.end.id {
      borders.end = try end(stored)
    }
    return borders
  }

  /// The message with the archive's `id`, if its time shows its position: no local one.
  static func anchorTime(_ id: String, of archive: JID, in db: DatabaseConnection) throws
    -> MessagePlacer.Entry?
  {
    try edge(id, of: archive, in: db).flatMap { $0.isLocal ? nil : $0 }
  }

  /// Returns the message that those after a range follow; `nil` if none of its messages show that.
  private static func last(
    _ end: String, _ anchor: String?, of archive: JID, in db: DatabaseConnection
  ) throws -> MessagePlacer.Entry? {
    try anchorTime(end, of: archive, in: db)
      ?? anchor.flatMap { try anchorTime($0, of: archive, in: db) }
  }

  /// The message that a range begins or ends with; not each archive entry is one. An id is valid in
  /// its archive only, as another owner may have copied it on purpose.
  static func edge(_ id: String, of archive: JID, in db: DatabaseConnection) throws
    -> MessagePlacer.Entry?
  {
    try PlacementReader(in: db).entries(
      """
      FROM conversation CROSS JOIN message ON message.conversation = conversation.id
      WHERE stanza_id = ?1 AND CASE
        WHEN EXISTS (SELECT 1 FROM conversation AS room WHERE room.jid = ?2 AND room.kind = 'room')
        THEN conversation.jid = ?2 ELSE conversation.kind <> 'room' END
      """, [id, archive.description]
    ).first
  }
}

extension MessagePlacer.Edge {
  /// - Parameters:
  ///   - row: that of its message, if it is one.
  ///   - time: where the range ends, or begins.
  ///   - reach: its other end.
  init(row: Int64?, at time: Date, reach: Date) {
    self.init(
      row: row, position: ColumnCoding.microseconds(time),
      reach: ColumnCoding.microseconds(reach))
  }
}

extension MessagePlacer.Entry {
  /// The point on the scale of times that its position corresponds to.
  var time: Date { ColumnCoding.date(position) }
}

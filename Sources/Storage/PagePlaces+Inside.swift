import FoundationEssentials
import NatterCore
import SQLite
import XMPP

extension PagePlaces {
  /// The limits of a page inside a known range: the page must not move its messages above what
  /// precedes it there, nor below what follows it.
  struct Inside {
    private(set) var floors: [JID: Date] = [:]
    private(set) var ceilings: [JID: Date] = [:]

    /// - Parameter page: the conversations of its remote messages, each with its stored position;
    ///   `nil`: it is new.
    init(
      of page: [(conversation: JID, standing: Standing?)], _ neighbours: Neighbours,
      _ db: DatabaseConnection
    ) throws {
      guard !neighbours.lower.isEmpty || !neighbours.upper.isEmpty else { return }
      let positions = TypedPlaces(in: db)
      let rows = Set(page.compactMap(\.standing?.row))
      for (jid, its) in Dictionary(grouping: page, by: \.conversation) {
        if let first = its.first?.standing,
          let part = neighbours.lower.first(where: {
            $0.has(first.time)
          }),
          let before = try positions.measure(
            in: first.conversation, before: first.time, besides: rows),
          before.place < first.stored
        {
          let time = ColumnCoding.date(before.place.time)
          if time >= part.start.at { floors[jid] = time }
        }
        if let last = its.last?.standing,
          let part = neighbours.upper.first(where: { $0.has(last.time) }
          ),
          let behind = try positions.next(in: last.conversation, from: last.time, besides: rows),
          behind.place > last.stored
        {
          let time = ColumnCoding.date(behind.place.time)
          if time <= part.end.at { ceilings[jid] = time }
        }
      }
    }
  }
}

extension ArchiveRange {
  /// Returns `true` if the range covers `time`.
  fileprivate func has(_ time: Date) -> Bool { start.at <= time && time <= end.at }
}

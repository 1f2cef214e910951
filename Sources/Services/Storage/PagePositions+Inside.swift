import FoundationEssentials
import NatterCore
import SQLite
import XMPP

extension PagePositions {
  /// The limits of a page inside a known range: the page must not move its messages above what
  /// precedes it there, nor below what follows it.
  struct Inside {
    private(set) var floors: [JID: Date] = [:]
    private(set) var ceilings: [JID: Date] = [:]

    /// - Parameter page: the conversations of its remote messages, each with its stored position;
    ///   `nil`: it is new.
    init(
      of page: [(conversation: JID, storedState: StoredState?)], _ neighbours: Neighbours,
      _ db: DatabaseConnection
    ) throws {
      guard !neighbours.lower.isEmpty || !neighbours.upper.isEmpty else { return }
      let positions = LocalPositions(in: db)
      let rows = Set(page.compactMap(\.storedState?.row))
      for (jid, its) in Dictionary(grouping: page, by: \.conversation) {
        if let first = its.first?.storedState,
          let part = neighbours.lower.first(where: {
            $0.has(first.time)
          }),
          let before = try positions.anchor(
            in: first.conversation, before: first.time, besides: rows),
          before.position < first.stored
        {
          let time = ColumnCoding.date(before.position.time)
          if time >= part.start.at { floors[jid] = time }
        }
        if let last = its.last?.storedState,
          let part = neighbours.upper.first(where: { $0.has(last.time) }
          ),
          let behind = try positions.next(in: last.conversation, from: last.time, besides: rows),
          behind.position > last.stored
        {
          let time = ColumnCoding.date(behind.position.time)
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

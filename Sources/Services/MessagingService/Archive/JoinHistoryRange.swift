import FoundationEssentials
import NatterCore
import XMPP

/// The range of the history that a room sent after the join and of the live messages that follow,
/// because the room's archive cannot be read. It does no I/O.
struct JoinHistoryRange {
  private let history: JoinHistory
  /// The stored times of the history's first and last message.
  private let (firstTime, lastTime): (Date, Date)
  /// The newest range that was known before this visit.
  private let known: ArchiveRange?

  /// Creates the range of `history`.
  /// - Parameters:
  ///   - first: the stored time of its first message.
  ///   - last: the stored time of its last message.
  ///   - ranges: the stored ranges of the archive, oldest first.
  ///   - current: what came live in this visit, which is nothing that was known before.
  init(
    _ history: JoinHistory, first: Date, last: Date, among ranges: [ArchiveRange],
    current: ArchiveRange?
  ) {
    self.history = history
    (firstTime, lastTime) = (first, last)
    known = ranges.last { range in
      current.map { $0.row != range.row && $0.start.id != range.start.id } ?? true
    }
  }

  /// The position of its last message.
  var last: ArchivePosition { ArchivePosition(id: history.last, at: lastTime) }

  /// The archive id of the message whose stored time decides whether the history follows the known
  /// range; `nil` if that is certain without it.
  var decidingID: String? {
    guard let known, known.start.id != history.first, firstTime <= known.end.at else { return nil }
    return history.known
  }

  /// Returns where it begins.
  /// - Parameter time: the stored time of the message `decidingID`; `nil` if it is not stored.
  func start(deciding time: Date?) -> ArchivePosition {
    let first = ArchivePosition(id: history.first, at: firstTime)
    guard let known else { return first }
    // It has refused before in this visit.
    if known.start.id == history.first { return known.end }
    guard firstTime <= known.end.at else { return first }
    // It follows the known range, as far as that is certain: live messages were not compared.
    if let time, time <= known.end.at { return known.end }
    // Clocks that differ do not prove that nothing is missing.
    return ArchivePosition(id: history.first, at: known.end.at + ArchiveOrder.gap)
  }
}

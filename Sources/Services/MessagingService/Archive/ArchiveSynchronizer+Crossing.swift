import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Local messages, and those that arrive while one is sent: only the archive knows their order.
extension ArchiveSynchronizer {
  /// How far back the start looks for local messages without a known position. Seconds.
  private static let crossingReach: TimeInterval = 2 * 86400

  /// Finds the position of local messages once the server has them, until the task is cancelled.
  func watchTyped(in events: AsyncStream<DomainEvent>) async {
    for await event in events {
      guard case .messagesChanged(let messages) = event else { continue }
      await positionLocal(messages)
    }
  }

  /// - Parameter messages: of which some may be at the server by now.
  func positionLocal(_ messages: [Message]) async {
    let ids = messages.filter(\.mayBeUnplaced).map(\.id)
    if !ids.isEmpty { await lookAtCrossings(of: ids) }
  }

  /// - Parameter messages: `nil`: all of which that was not looked at yet.
  func lookAtCrossings(of messages: [Message.ID]?) async {
    do {
      let reach = now().addingTimeInterval(-Self.crossingReach)
      let positions = try await store.positions(beforeCrossed: messages, since: reach)
      guard !positions.isEmpty, open[account] != nil else { return }
      open[account]?.crossed.formUnion(positions)
      wakeUp()
    } catch {
      // The next start looks again.
      log.warning("what crossed a message on its way could not be looked for: \(error)")
    }
  }

  /// Has what is to be compared with `archive` begin before what was crossed.
  func takeUpCrossing(in archive: JID) async {
    guard let positions = open[archive]?.crossed, let live = open[archive]?.live else { return }
    open[archive]?.crossed = []
    guard let point = positions.min(by: { $0.at < $1.at }),
      await forget(archive, after: positions, before: live)
    else { return }
    guard open[archive]?.compareAgain(from: point, in: live) == true else { return }
    await storeEnd(of: archive)
  }

  /// Ends older ranges at those of `positions` that are in them, and those behind them at their
  /// start: filling the gaps reads the rest again, in order.
  /// - Returns: whether they are stored so.
  private func forget(
    _ archive: JID, after positions: Set<ArchivePosition>, before live: ArchiveRange
  ) async -> Bool {
    do {
      return try await writing.serialized(archive) {
        let ranges = try await store.ranges(of: archive, with: nil).filter { $0.row != live.row }
        for var range in ranges where range.start.at < live.start.at {
          let its = positions.filter { $0.at <= range.end.at && $0.at < live.start.at }
          guard let point = its.min(by: { $0.at < $1.at }) else { continue }
          // It may begin with local messages, whose time differs from that of later ones.
          if range.start.at <= point.at {
            (range.end, range.anchor) = (point, point.id)
          } else {
            let others = ranges.map(\.start.at) + [live.start.at]
            (range.end, range.anchor) = (try await beginning(of: range, before: others), nil)
          }
          _ = try await store.insert(
            [], making: range, absorbing: [], beginningWithFirst: false, adjoining: .unknown
          ) { _ in false }
          wakeUp()
        }
        return true
      }
    } catch {
      // The next start looks again.
      log.warning("what crossed a message on its way cannot be read again: \(error)")
      return false
    }
  }

  /// The time of the first message of `range` now: what is read before it has to fit there.
  /// - Parameter others: where other ranges begin.
  private func beginning(of range: ArchiveRange, before others: [Date]) async throws
    -> ArchivePosition
  {
    var start = range.start
    let next = others.filter { $0 > start.at }.min() ?? start.at
    if let time = try await store.storedTime(of: start.id, in: range.archive) {
      start.at = max(start.at, min(time, next - ArchiveRange.step))
    }
    return start
  }
}

extension Message {
  /// Whether it is local and the archive may have it before what arrived meanwhile.
  fileprivate var mayBeUnplaced: Bool {
    guard direction == .outgoing, effect == nil else { return false }
    switch delivery {
    case .sent, .delivered, .read: return true
    case .queued, .failed, nil: return false
    }
  }
}

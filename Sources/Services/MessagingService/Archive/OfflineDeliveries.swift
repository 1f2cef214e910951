import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Offline messages arrive before the archive returns what is older, and are shown at once. Until
/// it has, other clients may have received what is missing before them.
final class OfflineDeliveries: ArchivePart {
  let context: ArchiveContext
  /// The deliveries of sessions that ended before the archive was read; `nil` until loaded.
  private var deliveries: OfflineDeliveryLog?
  /// Indicates whether the server delivered offline messages in this session, and in the previous
  /// one.
  private var (wasDelivering, wasDeliveringBefore) = (true, true)
  /// The time at which that was last kept.
  private var keptAt = Date.distantPast

  init(_ context: ArchiveContext) { self.context = context }

  /// The time that a note may wait to be kept: a server delivers thousands of messages in many
  /// parts. Seconds.
  private static let keepingPause: TimeInterval = 1

  /// A session began.
  func sessionBegan() { (wasDeliveringBefore, wasDelivering) = (wasDelivering, false) }

  /// The session that began continues the previous one.
  func sessionTakenUp() { wasDelivering = wasDeliveringBefore }

  /// The session ended: what was noted is kept.
  func sessionEnded() async {
    if wasDelivering { await keep() }
  }

  /// Returns the archive id of an offline message, if no message of this session has come live; or
  /// `nil`.
  func id(of message: MessageStanza) -> String? {
    guard let reading = state.session.open[ports.account], reading.beginsIsland,
      message.kind != .groupchat, message.isStored, message.heldBack(by: ports.account) != nil
    else { return nil }
    return message.stanzaID(by: ports.account)
  }

  /// Records the offline messages, which are stored by now.
  func note(_ ids: [String]) async {
    guard ports.memory != nil, !ids.isEmpty else { return }
    let isFirst = !wasDelivering
    await recall()
    do {
      guard let first = try await time(ofFirst: ids),
        let last = try await time(ofFirst: ids.reversed()),
        let isBorder = deliveries?.take(
          from: min(first, last), to: max(first, last), isFirst: isFirst)
      else { return }
      // Not before: the first offline messages may have nothing that is stored.
      wasDelivering = true
      if isFirst || !keptAt.isRecent(Self.keepingPause, at: ports.now()) {
        await keep()
      }
      // Timelines that show these messages do not know the border yet.
      if isBorder { ports.hub.publish(.archiveChanged(ports.account)) }
    } catch {
      ports.log.warning("offline deliveries could not be looked up: \(error)")
    }
  }

  /// Returns the time of the first stored message of `ids`; not every offline message is stored.
  private func time(ofFirst ids: some Sequence<String>) async throws -> Date? {
    for id in ids.prefix(10) {
      if let time = try await ports.store.storedTime(of: id, in: ports.account) { return time }
    }
    return nil
  }

  /// The archive has returned what is between.
  func forget() async {
    await recall()
    guard deliveries?.last != nil else { return }
    deliveries = OfflineDeliveryLog()
    await keep()
  }

  private func recall() async {
    guard deliveries == nil, let memory = ports.memory else { return }
    do {
      let kept = try await memory.offlineDeliveries()
      // Another task may have been faster.
      if deliveries == nil { deliveries = kept }
    } catch {
      ports.log.warning("the offline deliveries of earlier sessions could not be read: \(error)")
    }
  }

  /// Keeps what was noted; nothing where what was kept could not be read.
  private func keep() async {
    guard let deliveries, let memory = ports.memory else { return }
    keptAt = ports.now()
    do { try await memory.setOfflineDeliveries(deliveries) } catch {
      ports.log.warning("offline deliveries could not be stored: \(error)")
    }
  }

  /// Returns the gaps that may precede offline messages, oldest first.
  func unread(after coverage: ArchiveCoverage, of archive: JID, in conversation: JID)
    async throws -> [HistoryHole]
  {
    guard archive == ports.account, let end = coverage.spans.last?.end.at,
      state.session.open[ports.account].map({ $0.isFollowed && $0.beginsIsland }) ?? true,
      let all = try await ports.store.kept(in: conversation, after: end, before: .distantFuture)
    else { return [] }
    var holes = [HistoryHole(after: end, before: all.lowerBound)]
    await recall()
    for border in deliveries?.borders ?? [] where border > all.lowerBound {
      guard
        let older = try await ports.store.kept(in: conversation, after: end, before: border),
        let newer = try await ports.store.kept(
          in: conversation, after: border - ArchiveOrder.step, before: .distantFuture),
        holes.last?.before != newer.lowerBound
      else { continue }
      holes.append(HistoryHole(after: older.upperBound, before: newer.lowerBound))
    }
    return holes
  }
}

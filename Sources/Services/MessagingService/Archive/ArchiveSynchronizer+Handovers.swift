import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Offline messages arrive before the archive returns what is older, and are shown at once. Until
/// it has, other clients may have received what is missing before them.
extension ArchiveSynchronizer {
  /// Where the database keeps when sessions began with what the server had kept.
  private static let handoverKey = "archive.handed-over"

  /// How long what was noted last may wait to be kept: a server hands over thousands in many parts.
  private static let keepingPause: TimeInterval = 1

  package func sessionTakenUp(underWay ids: [String]) async {
    (isTakenUp, wasDelivering) = (true, wasDeliveringBefore)
  }

  /// The archive id of an offline message, if no message of this session has come live; or `nil`.
  func offlineDeliveryID(_ message: MessageStanza) -> String? {
    guard let state = open[account], state.beginsIsland,
      message.kind != .groupchat, message.isStored, message.heldBack(by: account) != nil
    else { return nil }
    return message.stanzaID(by: account)
  }

  /// Records the offline messages, which are stored by now.
  func noteOfflineDeliveries(_ ids: [String]) async {
    guard memory != nil, !ids.isEmpty else { return }
    let isFirst = !wasDelivering
    await recallHandovers()
    do {
      guard let first = try await time(ofFirst: ids),
        let last = try await time(ofFirst: ids.reversed()),
        let isBorder = deliveredOffline?.take(
          from: min(first, last), to: max(first, last), isFirst: isFirst)
      else { return }
      // Not before: the first offline messages may have nothing that is stored.
      wasDelivering = true
      if isFirst || abs(now().timeIntervalSince(handoversKeptAt)) >= Self.keepingPause {
        await keepHandovers()
      }
      // Timelines that show these messages do not know the border yet.
      if isBorder { hub.publish(.archiveChanged(account)) }
    } catch {
      log.warning("what was handed over could not be looked up: \(error)")
    }
  }

  /// The time of the first stored message of `ids`; not every offline message is stored.
  private func time(ofFirst ids: some Sequence<String>) async throws -> Date? {
    for id in ids.prefix(10) {
      if let time = try await store.storedTime(of: id, in: account) { return time }
    }
    return nil
  }

  /// The archive has returned what is between.
  func forgetHandovers() async {
    await recallHandovers()
    guard deliveredOffline?.last != nil else { return }
    deliveredOffline = OfflineDeliveryLog()
    await keepHandovers()
  }

  private func recallHandovers() async {
    guard deliveredOffline == nil, let memory else { return }
    do {
      let kept = try await memory.values()[Self.handoverKey]
      // Another task may have been faster.
      if deliveredOffline == nil { deliveredOffline = OfflineDeliveryLog(text: kept ?? "") }
    } catch {
      log.warning("what earlier sessions were handed over could not be read: \(error)")
    }
  }

  /// Keeps what was noted; nothing where what was kept could not be read.
  func keepHandovers() async {
    guard let deliveredOffline, let memory else { return }
    handoversKeptAt = now()
    do { try await memory.setValue(deliveredOffline.text, for: Self.handoverKey) } catch {
      log.warning("what was handed over could not be noted: \(error)")
    }
  }

  /// Where something may be missing before what the server had kept, oldest first.
  func unread(after coverage: ArchiveCoverage, of archive: JID, in conversation: JID)
    async throws -> [HistoryHole]
  {
    guard archive == account, let end = coverage.spans.last?.end.at,
      open[account].map({ $0.isFollowed && $0.beginsIsland }) ?? true,
      let all = try await store.kept(in: conversation, after: end, before: .distantFuture)
    else { return [] }
    var holes = [HistoryHole(after: end, before: all.lowerBound)]
    await recallHandovers()
    for border in deliveredOffline?.borders ?? [] where border > all.lowerBound {
      guard
        let older = try await store.kept(in: conversation, after: end, before: border),
        let newer = try await store.kept(
          in: conversation, after: border - ArchiveOrder.step, before: .distantFuture),
        holes.last?.before != newer.lowerBound
      else { continue }
      holes.append(HistoryHole(after: older.upperBound, before: newer.lowerBound))
    }
    return holes
  }
}

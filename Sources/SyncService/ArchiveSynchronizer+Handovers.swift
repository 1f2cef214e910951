import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// What the server had kept comes before the archive tells what was before it, and is shown at once: until the archive has told,
/// other clients may have taken what is missing there.
extension ArchiveSynchronizer {
  /// Where the database keeps when sessions began with what the server had kept.
  private static let handoverKey = "archive.handed-over"

  /// The time of `wrapper` at the server where that had kept it until this session, and nothing has come live in it; else `nil`.
  func handoverTime(of wrapper: MessageStanza, at arrival: Date) -> Date? {
    guard let state = open[account], state.live == nil, state.island == nil,
      wrapper.kind != .groupchat, XEP0280Carbon(wrapper, of: account) == nil,
      let stamp = wrapper.heldBack(by: account)?.stamp
    else { return nil }
    return min(stamp, arrival)
  }

  /// Takes note of what was handed over.
  func tookOver(_ times: [Date]) async {
    guard memory != nil, !times.isEmpty else { return }
    await recallHandovers()
    guard let state = open[account] else { return }
    handedOver?.take(times, isFirst: !state.isHandedOver)
    open[account]?.isHandedOver = true
    await keepHandovers()
  }

  /// The archive has told what lies between.
  func forgetHandovers() async {
    await recallHandovers()
    guard handedOver?.last != nil else { return }
    handedOver = HandedOver()
    await keepHandovers()
  }

  private func recallHandovers() async {
    guard handedOver == nil, let memory else { return }
    do {
      let kept = try await memory.values()[Self.handoverKey]
      // Somebody else may have been quicker.
      if handedOver == nil { handedOver = HandedOver(text: kept ?? "") }
    } catch {
      log.warning("what earlier sessions were handed over could not be read: \(error)")
    }
  }

  private func keepHandovers() async {
    do { try await memory?.setValue(handedOver?.text, for: Self.handoverKey) } catch {
      log.warning("what was handed over could not be noted: \(error)")
    }
  }

  /// Where something may be missing before what the server had kept, oldest first.
  func unread(after coverage: ArchiveCoverage, of archive: JID, in conversation: JID)
    async throws -> [HistoryHole]
  {
    guard archive == account, let end = coverage.spans.last?.end.at,
      open[account].map({ $0.isFollowed && $0.live == nil && $0.island == nil }) ?? true,
      let all = try await store.kept(in: conversation, after: end, before: .distantFuture)
    else { return [] }
    var holes = [HistoryHole(after: end, before: all.lowerBound)]
    await recallHandovers()
    for border in handedOver?.borders ?? [] where border > all.lowerBound {
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

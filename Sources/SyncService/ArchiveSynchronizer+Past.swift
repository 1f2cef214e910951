import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Reading the account's archive further back than anybody has asked for: who is on no list, and wrote before the newest page, would
/// be seen by nobody otherwise.
extension ArchiveSynchronizer {
  /// How far back, in seconds.
  private static let pastReach: TimeInterval = 90 * 86400

  /// Reads one page more.
  /// - Returns: whether there is more to read.
  func readPast() async -> Bool {
    guard let channel, let state = open[account], state.live != nil, isReadToItsEnd, !isPastRead
    else { return false }
    do {
      let isOver = try await inTurn(of: account) { () async throws -> Bool in
        guard var range = try await past(of: account, with: nil),
          range.start.at > now().addingTimeInterval(-Self.pastReach)
        else { return true }
        let start = range.start
        let page = try await readOn(before: &range, limit: Self.pageSize, over: channel)
        return page == nil || range.reachesBeginning || range.start == start
      }
      // Another session has begun.
      guard open[account]?.number == state.number else { return false }
      isPastRead = isOver
    } catch let error as StanzaError where !error.mayPass {
      log.info("the archive's past is not read: \(error.condition.rawValue)")
      isPastRead = true
    } catch {
      // The next reason to look for what is missing is one for this, too.
      log.info("the archive's past is not read for now: \(error)")
      return false
    }
    return !isPastRead
  }
}

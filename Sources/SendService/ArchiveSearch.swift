import FoundationEssentials
import XMPP

/// Looks for own messages in the own archive: whether the server has them is not known when a connection broke before it
/// said so (flows.md, "Sending").
struct ArchiveSearch {
  let account: JID
  let channel: any StanzaChannel

  /// How far this machine's clock and the server's may be apart: no two places on earth are further
  /// apart, so that a clock that shows another place's time does no harm.
  static let clockTolerance: TimeInterval = 26 * 3600
  static let pageSize = 100
  /// More pages than the busiest room fills in the time that is looked through: what goes on behind them does not end.
  static let pageLimit = 1000

  /// The archive does not come to an end.
  struct Endless: Error {}

  /// Looks from the newest message backwards.
  /// - Parameter isRoom: whether `peer` is a room: then its own archive is looked through.
  /// - Parameter since: when the first of them was written, by this machine's clock.
  /// - Parameter isThorough: whether every copy is looked for, not one of each.
  /// - Returns: those of `originIDs` that are there, each with the archive's ids of its copies; none where there is no archive.
  /// - Throws: `ChannelError`, and `StanzaError` or `Endless` when the archive cannot be read to the end now: then nothing is
  ///   known of those that were not found.
  func found(
    _ originIDs: Set<String>, to peer: JID, isRoom: Bool = false, since: Date,
    isThorough: Bool = false
  ) async throws -> [String: Set<String>] {
    var found: [String: Set<String>] = [:]
    var seen: Set<String> = []
    var position = XEP0059Request.Position.last
    let start = since.addingTimeInterval(-Self.clockTolerance)
    for _ in 0..<Self.pageLimit {
      let page: XEP0313Page
      do {
        page = try await channel.archivePage(
          XEP0313Query(
            with: isRoom ? nil : peer, start: start, position, limit: Self.pageSize),
          of: isRoom ? peer : account)
      } catch let error as StanzaError where seen.isEmpty && !error.mayPass {
        // No archive, or none that could ever be asked: everything is sent again under the same id. What an archive that
        // answers refuses later on, as a page whose place is gone, may be answered from the beginning.
        return found
      }
      let author = isRoom ? peer : account
      for result in page.results
      where result.message.sender.jid(ifAbsent: account)?.bare == author {
        guard let id = result.message.originID ?? result.message.id, originIDs.contains(id) else {
          continue
        }
        found[id, default: []].insert(result.id)
      }
      // A page that was there before: the server does not go on. One from before that time: it does not know where to begin.
      guard isThorough || found.count < originIDs.count, !page.isComplete, let oldest = page.oldest,
        seen.insert(oldest).inserted, page.results.allSatisfy({ $0.stamp >= start })
      else { return found }
      position = .before(oldest)
    }
    throw Endless()
  }
}

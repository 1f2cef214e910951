import FoundationEssentials
import XMPP

/// The search for the user's own messages in the archive: it is not known if the server has them
/// when a connection broke before the acknowledgement (flows.md, "Sending").
struct ArchiveSearch {
  let account: JID
  let channel: any StanzaChannel

  /// Seconds that this machine's clock and the server's may differ by: the largest difference
  /// between two time zones, so that a clock with the time of another zone does no harm.
  static let clockTolerance: TimeInterval = 26 * 3600
  static let pageSize = 100
  /// More pages than the busiest room fills in the searched time: an archive with more is endless.
  static let pageLimit = 1000

  /// The archive does not come to an end.
  struct Endless: Error {}

  /// Searches from the newest message backwards.
  /// - Parameter isRoom: `true` if `peer` is a room: then its own archive is searched.
  /// - Parameter since: the time of the earliest of them, by this machine's clock.
  /// - Parameter isThorough: `true` if every copy is searched, not one of each.
  /// - Returns: those of `originIDs` that are found, each with the archive ids of its copies; none
  ///   where there is no archive.
  /// - Throws: `ChannelError`, and `StanzaError` or `Endless` when the archive cannot be read to
  ///   the end now: then nothing is known of those that were not found.
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
        // No archive, or none that can ever be queried: everything is sent again under the same id.
        // A refusal after the first page, for example because the page's id is gone, may pass from
        // the beginning.
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
      // A page that was returned before: the server does not advance. A page from before that time:
      // it does not know the id.
      guard isThorough || found.count < originIDs.count, !page.isComplete, let oldest = page.oldest,
        seen.insert(oldest).inserted, page.results.allSatisfy({ $0.stamp >= start })
      else { return found }
      position = .before(oldest)
    }
    throw Endless()
  }
}

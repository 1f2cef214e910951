/// The archive queries that are open (XEP-0313 §4.2), with what has arrived for each.
struct ArchiveQueries: Sendable {
  private struct Query {
    var gathered: GatheredResults
    /// How many items the caller wanted, and how many were asked for.
    let wanted: Int
    let asked: Int
  }

  /// By their ids.
  private var open: [String: Query] = [:]
  /// How many items a page of an archive may have, where those of the page before were long.
  private var sizes: [JID: Int] = [:]

  var isEmpty: Bool { open.isEmpty }

  /// - Returns: the query as it is to be sent: for a smaller page where those of the archive are too large.
  mutating func begin(_ query: XEP0313Query, of archive: JID, id: String) -> XEP0313Query {
    var query = query
    let wanted = query.page.limit
    if let size = sizes[archive] { query.page.limit = min(wanted, size) }
    open[id] = Query(
      gathered: GatheredResults(archive: archive, isBackward: query.page.isBackward),
      wanted: wanted, asked: query.page.limit)
    return query
  }

  /// Takes a result for a query that is open, from the archive that was asked.
  /// - Returns: whether it was one.
  mutating func take(_ message: MessageStanza, ofAccount account: JID) -> Bool {
    guard let (id, result) = XEP0313Result.read(message), let query = open[id],
      message.sender.jid(ifAbsent: account) == query.gathered.archive
    else { return false }
    open[id]?.gathered.take(result, weighing: message.element.weight)
    return true
  }

  /// - Returns: what has arrived; `nil`: it is not open.
  mutating func end(_ id: String) -> GatheredResults? {
    guard let query = open.removeValue(forKey: id) else { return nil }
    // What did not fit would be sent in vain once more, and where it fits easily there may be more.
    let gathered = query.gathered
    if gathered.isCut {
      sizes[gathered.archive] = max(1, gathered.results.count)
    } else if query.asked < query.wanted, gathered.weight < GatheredResults.byteLimit / 4 {
      sizes[gathered.archive] = query.asked * 2
    }
    return gathered
  }
}

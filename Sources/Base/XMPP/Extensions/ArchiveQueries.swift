import XML

/// The open archive queries (XEP-0313 §4.2), with the results that have arrived for each.
struct ArchiveQueries: Sendable {
  private struct Query {
    var gathered: GatheredResults
    /// The number of items that the caller wanted, and the number that was requested.
    let wanted: Int
    let asked: Int
  }

  /// The open queries by their ids.
  private var open: [String: Query] = [:]
  /// The largest page for each archive whose previous page was too large.
  private var sizes: [JID: Int] = [:]

  var isEmpty: Bool { open.isEmpty }

  /// Opens a query.
  /// - Returns: The query to send: for a smaller page if those of the archive are too large.
  mutating func begin(_ query: XEP0313Query, of archive: JID, id: String) -> XEP0313Query {
    var query = query
    let wanted = query.page.limit
    if let size = sizes[archive] { query.page.limit = min(wanted, size) }
    open[id] = Query(
      gathered: GatheredResults(archive: archive, isBackward: query.page.isBackward),
      wanted: wanted, asked: query.page.limit)
    return query
  }

  /// Takes a result for an open query from the archive that was asked.
  /// - Returns: `true` if `message` is such a result.
  mutating func take(_ message: MessageStanza, ofAccount account: JID) -> Bool {
    guard let (id, result) = XEP0313Result.read(message), let query = open[id],
      message.sender.jid(ifAbsent: account) == query.gathered.archive
    else { return false }
    open[id]?.gathered.take(result, weighing: message.element.weight)
    return true
  }

  /// Closes a query.
  /// - Returns: The results that arrived; `nil` when no such query is open.
  mutating func end(_ id: String) -> GatheredResults? {
    guard let query = open.removeValue(forKey: id) else { return nil }
    // Results that did not fit would be sent in vain once more, so the next page is smaller; it
    // grows again once the results fit easily.
    let gathered = query.gathered
    if gathered.isCut {
      sizes[gathered.archive] = max(1, gathered.results.count)
    } else if query.asked < query.wanted, gathered.weight < GatheredResults.byteLimit / 4 {
      sizes[gathered.archive] = query.asked * 2
    }
    return gathered
  }
}

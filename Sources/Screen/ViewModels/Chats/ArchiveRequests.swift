/// The user's last requests for messages of a conversation that take time.
struct ArchiveRequests {
  /// The last search.
  var search: MessageSearch?
  /// The fetching of a conversation's whole history.
  var wholeHistory: WholeHistory?
  /// The export or import of history as a file.
  var historyFile: HistoryFileWork?
  /// Called when that makes progress, or ends.
  var historyFileFollowers: [() -> Void] = []
}

/// What the user has asked of the messages of a conversation.
struct ArchiveRequests {
  /// The last search.
  var search: MessageSearch?
  /// The fetching of a conversation's whole history.
  var wholeHistory: WholeHistory?
}

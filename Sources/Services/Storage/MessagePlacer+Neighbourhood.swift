extension MessagePlacer {
  /// A message, as far as its order depends on it.
  struct Entry {
    let row: Int64
    let conversation: Int64
    let position: Int64
    /// `true` for a message of this client that may be at the server.
    let isLocal: Bool
    /// The row that a local message follows; negative: the row that it precedes; 0: neither; `nil`:
    /// not known yet.
    var follows: Int64?
    /// The id of the message in the archive; `nil`: the archive has not listed it. Before that, it
    /// follows what came until the server had it.
    var archiveID: String?
    var isArchived: Bool { archiveID != nil }
    /// `true` if it is no message, but where an earlier part of the archive ends, with a gap
    /// behind.
    var isBorder: Bool { row < 0 }
    /// The sort key of a conversation.
    var key: (Int64, Int64) { (position, row) }
  }

  /// A message that is the last one before a page, or the first one behind it.
  struct Edge {
    /// The row of the message; `nil`: not each entry of an archive is a message.
    var row: Int64?
    var position: Int64
    /// The limit of what is known from there: beyond it, messages need not be adjacent to the
    /// page.
    let reach: Int64
    /// The message, if it is of the conversation.
    var message: Entry?
    /// The message that a local one at the edge is known to follow, or to precede.
    var related: Entry?
    /// The nearest anchor at the edge or beyond it, without the page, where `message` does not show
    /// what is beside the page.
    var nearest: Entry?
  }

  /// The known neighbours of a page in the archive, as far as they are adjacent to it.
  struct Borders {
    var end: Edge?
    var start: Edge?
    /// The end of what is known before the part of the page, across a gap; `nil`: nothing is.
    var older: Int64?
    /// The beginning of what is known behind the part of the page, across a gap; `nil`: nothing
    /// is.
    var newer: Int64?
  }

  /// What is known around a page of an archive, in one conversation.
  struct Neighbourhood {
    /// The stored messages of the page, in the archive's order.
    let page: [Entry]
    /// An edge that the page contains is that of the page's anchor beside it: its neighbour is the
    /// next message of the same part of the archive.
    var borders = Borders()
    /// The last anchor that is known before the part of the page, across a gap.
    var older: Entry?
    /// The first anchor that is known behind the part of the page, across a gap.
    var newer: Entry?
    /// The position at which the part before the page ends, whether or not the page contains it.
    var knownEnd: Int64?
    /// The messages of the conversation that local ones are known to precede.
    var beginnings: [Entry] = []
    /// The local messages that follow, or precede, a message of the page or of its borders.
    var followers: [Entry] = []
    /// The first anchor behind those of the page, or behind its end if it has none.
    var next: Entry?
    /// The archive's ids of messages that are known to come after the page.
    var later: Set<String> = []
    /// Indicates whether the conversation is a room, which reflects messages.
    var isRoom = false
    /// The local messages that are not known to be at the server; `nil`: not read yet.
    var waiting: [Entry]?

    let rows: Set<Int64>
    let anchors: [Entry]
    var local: [Entry] { page.filter(\.isLocal) }

    init(page: [Entry]) {
      (self.page, rows) = (page, Set(page.map(\.row)))
      anchors = page.filter { !$0.isLocal }
    }

    /// The position that `next` is behind.
    var last: Int64? {
      let end = borders.end?.message.flatMap { message in
        message.isLocal ? message.follows ?? 0 > 0 ? borders.end?.related : nil : message
      }
      return (anchors.last ?? end ?? borders.end?.nearest)?.position
    }

    /// The values of `follows` of the local messages that may be beside the page.
    var runs: Set<Int64> {
      let edges = [borders.end, borders.start].compactMap { $0 }
      let beside =
        edges.flatMap { [$0.message, $0.nearest] }.compactMap { $0 }
        + [older, newer].compactMap { $0 }
      let rows = (anchors + beside + beginnings).map(\.row)
      return Set(rows + rows.map { -$0 } + (local + beside).compactMap(\.follows))
        .subtracting([0])
    }
  }
}

import NatterCore
import XMPP

/// Reads the tables `account`, `remote`, `message` of Gajim from version 1.9 on. Their primary keys
/// `pk` are row ids.
struct GajimArchive {
  let database: ForeignDatabase

  private enum Kind { static let room = 2, privateChat = 3 }

  /// What belongs to messages, but is in other tables.
  private struct Details {
    var accounts: [Int: JID] = [:]
    var remotes: [Int: JID] = [:]
    var nicks: [Int: String] = [:]
    /// The addresses of files by the messages' keys.
    var files: [Int: String] = [:]
    /// The ids of messages that were deleted, with the keys of their chats.
    var deleted: Set<Deleted> = []

    struct Deleted: Hashable {
      let remote: Int
      let id: String
    }
  }

  private static let columns = [
    "fk_account_pk", "fk_remote_pk", "resource", "type", "direction", "timestamp", "id",
    "stanza_id", "text", "fk_occupant_pk", "correction_id",
  ]

  func read(_ take: (ImportItem) throws -> Void) throws {
    let details = try details()
    try database.scan(
      "message", Self.columns,
      tooLong: { try take(.refused(place: "\(database.path) message \($0)")) }
    ) { row in try take(item(row, details)) }
  }

  private func details() throws -> Details {
    var details = Details()
    details.accounts = try database.addresses(in: "account", "jid").mapValues(\.bare)
    details.remotes = try database.addresses(in: "remote", "jid")
    try database.scan("occupant", ["nickname"]) { row in
      if let nick = row.nick(0) { details.nicks[Int(row.id)] = nick }
    }
    try database.scan("oob", ["fk_message_pk", "url"]) { row in
      guard let message = row.int(0), let url = row.text(1, limit: 4096),
        HistoryText.isFileAddress(url)
      else { return }
      details.files[message] = url
    }
    // A moderator deletes by the room's id, an author by either.
    for (table, id) in [("moderation", "stanza_id"), ("retraction", "id")] {
      try database.scan(table, ["fk_remote_pk", id]) { row in
        guard let remote = row.int(0), let id = row.text(1) else { return }
        details.deleted.insert(Details.Deleted(remote: remote, id: id))
      }
    }
    return details
  }

  private func item(_ row: ForeignRow, _ details: Details) -> ImportItem {
    let refused = ImportItem.refused(place: "\(database.path) message \(row.id)")
    guard !row.isTooLong(8), let time = row.double(5).flatMap(HistoryText.time),
      let account = row.account(0, of: details.accounts), let remote = row.int(1),
      let address = details.remotes[remote],
      let type = row.int(3), (1...3).contains(type), let direction = row.int(4),
      (1...2).contains(direction)
    else { return refused }
    let file = details.files[Int(row.id)]
    guard let body = row.body(8) ?? file else { return .skipped }
    let (origin, stanza) = (HistoryText.id(row.text(6)), HistoryText.id(row.text(7)))
    for id in [origin, stanza].compactMap(\.self)
    where details.deleted.contains(Details.Deleted(remote: remote, id: id)) {
      return .skipped
    }
    let nick = row.nick(2) ?? row.int(9).flatMap { details.nicks[$0] }
    var conversation = address.bare
    if type == Kind.privateChat {
      if !address.isBare {
        conversation = address
      } else if direction == 1, let occupant = nick.flatMap(address.with(resource:)) {
        conversation = occupant
      } else {
        return refused
      }
    }
    var message = ImportedMessage(
      account: account, conversation: conversation,
      kind: type == Kind.room ? .room : .direct,
      direction: direction == 2 ? .outgoing : .incoming, sentAt: time, precision: .second,
      body: body)
    message.nick = type == Kind.room ? nick : nil
    message.originID = origin
    message.stanzaID = stanza
    message.corrects = HistoryText.id(row.text(10))
    message.fileAddress = file
    return .message(message)
  }
}

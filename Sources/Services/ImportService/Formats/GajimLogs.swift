import BoundedText
import JSONLines
import NatterCore
import XMPP

/// Reads the tables `jids` and `logs` of Gajim up to version 1.8.
struct GajimLogs {
  let database: ForeignDatabase
  let context: ImportContext

  private static let columns = [
    "account_id", "jid_id", "contact_name", "time", "kind", "message", "subject",
    "additional_data", "stanza_id", "message_id",
  ]

  func read(_ take: (ImportItem) throws -> Void) throws {
    var addresses: [Int: JID] = [:]
    var rooms: Set<JID> = []
    try database.scan("jids", ["jid_id", "jid", "type"]) { row in
      guard let id = row.int(0), let jid = row.address(1)
      else {
        return
      }
      addresses[id] = jid
      if row.int(2) == 1 { rooms.insert(jid.bare) }
    }
    try database.scan(
      "logs", Self.columns,
      tooLong: { try take(.refused(place: "\(database.path) logs \($0)")) }
    ) { row in
      try take(item(row, addresses, rooms))
    }
  }

  private func item(
    _ row: ForeignRow, _ addresses: [Int: JID], _ rooms: Set<JID>
  ) -> ImportItem {
    let refused = ImportItem.refused(place: "\(database.path) logs \(row.id)")
    guard let kind = row.int(4) else { return refused }
    guard (2...6).contains(kind) else { return .skipped }
    guard !row.isTooLong(5), let time = row.double(3).flatMap(HistoryText.time),
      let address = row.int(1).flatMap({ addresses[$0] }),
      let account = row.account(0, of: addresses)
    else { return refused }
    guard var body = row.body(5) else { return .skipped }
    let extra = row.text(7, limit: 1 << 16).flatMap { try? JSONValue(parsing: $0.utf8) }
    if let retraction = extra?["retracted"], retraction != .null { return .skipped }
    // Only single messages have a subject of their own; a room's subject has no message.
    if kind == 3 || kind == 5, let subject = row.text(6, limit: 4096) {
      body = subject + "\n" + body
    }
    let isRoom = kind == 2
    let isPrivate = !isRoom && !address.isBare && rooms.contains(address.bare)
    let name = row.nick(2)
    let isOwn =
      isRoom ? name.map { context.isOwn($0, account: account) } ?? false : kind == 5 || kind == 6
    var message = ImportedMessage(
      account: account, conversation: isPrivate ? address : address.bare,
      kind: isRoom ? .room : .direct, direction: isOwn ? .outgoing : .incoming, sentAt: time,
      precision: .second, body: body)
    message.nick = isRoom ? name : nil
    message.originID = HistoryText.id(row.text(9))
    message.stanzaID = HistoryText.id(row.text(8))
    if let url = extra?["gajim"]?["oob_url"]?.string?.bounded, HistoryText.isFileAddress(url) {
      message.fileAddress = url
    }
    return .message(message)
  }
}

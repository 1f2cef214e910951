import NatterCore
import XMPP

/// The history of Dino: `dino.db`, or the folder that contains it.
///
/// Of its table `account` only the address is read, which is beside the password.
package struct DinoHistory: HistoryFormat {
  package static let name = "dino"

  private let path: String

  package static func recognizes(_ path: String) -> Bool {
    ForeignDatabase.recognizes(file(path), isDino)
  }

  package init(path: String, context: ImportContext) throws {
    self.path = Self.file(path)
    _ = try HistoryFile(self.path)
  }

  package func read(_ take: (ImportItem) throws -> Void) throws {
    let database = try ForeignDatabase(path: path)
    guard try Self.isDino(database) else { throw ImportFailure.unsupportedVersion("") }
    try DinoReader(database: database).read(take)
    try database.requireUnchanged()
  }

  private static func isDino(_ database: ForeignDatabase) throws -> Bool {
    try database.columns(of: "message").isSuperset(of: [
      "account_id", "counterpart_id", "direction", "body", "time",
    ]) && database.columns(of: "jid").contains("bare_jid")
      && database.columns(of: "account").contains("bare_jid")
  }

  private static func file(_ path: String) -> String {
    HistoryFolder.kind(of: path) == .folder ? path + "/dino.db" : path
  }
}

/// Reads the tables of one database of Dino.
private struct DinoReader {
  let database: ForeignDatabase

  /// Values of the columns `type` and `marked`.
  private enum Value {
    static let room = 2, privateChat = 3
    /// Never sent, and refused by the server.
    static let unsent: Set<Int> = [4, 5, 8]
  }

  /// What belongs to messages, but is in other tables.
  private struct Details {
    var accounts: [Int: JID] = [:]
    var addresses: [Int: JID] = [:]
    /// The ids that messages replace, by the messages' keys.
    var corrected: [Int: String] = [:]
    /// The keys of messages whose body is the address of a file.
    var files: Set<Int> = []
    /// The keys of rooms.
    var rooms: Set<Int> = []
    /// The hashes of the addresses that early versions kept beside their messages, and of those
    /// among them that a message has.
    var early: Set<Int> = []
    var found: Set<Int> = []
  }

  private static let messageColumns = [
    "account_id", "counterpart_id", "counterpart_resource", "our_resource", "direction", "type",
    "time", "body", "stanza_id", "server_id", "marked",
  ]
  private static let transferColumns = [
    "account_id", "counterpart_id", "counterpart_resource", "our_resource", "direction", "time",
    "info",
  ]

  func read(_ take: (ImportItem) throws -> Void) throws {
    var details = try details()
    try database.scan(
      "message", Self.messageColumns,
      tooLong: { try take(.refused(place: "\(database.path) message \($0)")) }
    ) { row in
      try take(message(row, &details))
    }
    try database.scan(
      "file_transfer", Self.transferColumns,
      tooLong: { try take(.refused(place: "\(database.path) file_transfer \($0)")) }
    ) { row in
      if let item = transfer(row, details) { try take(item) }
    }
  }

  private func details() throws -> Details {
    var details = Details()
    details.accounts = try database.addresses(in: "account", "bare_jid")
    details.addresses = try database.addresses(in: "jid", "bare_jid")
    try database.scan("message_correction", ["message_id", "to_stanza_id"]) { row in
      if let message = row.int(0), let id = row.text(1) { details.corrected[message] = id }
    }
    try database.scan("file_transfer", ["info"]) { row in
      guard let info = row.text(0, limit: 4096) else { return }
      if let message = Int(info) {
        details.files.insert(message)
      } else if HistoryText.isFileAddress(info) {
        details.early.insert(info.hashValue)
      }
    }
    try database.scan("conversation", ["jid_id", "type"]) { row in
      if let jid = row.int(0), row.int(1) == 1 { details.rooms.insert(jid) }
    }
    return details
  }

  private func message(_ row: ForeignRow, _ details: inout Details) -> ImportItem {
    let refused = ImportItem.refused(place: "\(database.path) message \(row.id)")
    guard let type = row.int(5), let isSent = isSent(row) else { return refused }
    guard (1...3).contains(type) else { return .skipped }
    if isSent, let state = row.int(10), Value.unsent.contains(state) { return .skipped }
    guard !row.isTooLong(7), let time = row.double(6).flatMap(HistoryText.time),
      let address = row.int(1).flatMap({ details.addresses[$0] }),
      let account = row.account(0, of: details.accounts)
    else { return refused }
    guard let body = row.body(7) else { return .skipped }
    var conversation = address
    if type == Value.privateChat {
      guard let occupant = row.text(2, limit: 3072).flatMap(address.with(resource:)) else {
        return refused
      }
      conversation = occupant
    }
    var message = ImportedMessage(
      account: account, conversation: conversation,
      kind: type == Value.room ? .room : .direct, direction: isSent ? .outgoing : .incoming,
      sentAt: time, precision: .second, body: body)
    if type == Value.room {
      // An own message that has not come back from the room has no nick there.
      message.nick = row.nick(2) ?? (isSent ? row.nick(3) : nil)
    }
    message.originID = HistoryText.id(row.text(8))
    message.stanzaID = HistoryText.id(row.text(9))
    message.corrects = HistoryText.id(details.corrected[Int(row.id)])
    let isEarly = details.early.contains(body.hashValue)
    if isEarly { details.found.insert(body.hashValue) }
    if isEarly || details.files.contains(Int(row.id)), HistoryText.isFileAddress(body) {
      message.fileAddress = body
    }
    return .message(message)
  }

  /// Returns whether the user sent it; `nil` if that cannot be read.
  private func isSent(_ row: ForeignRow) -> Bool? {
    switch row.int(4) {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// Returns a file that has no message of its own; `nil` if it has one.
  private func transfer(_ row: ForeignRow, _ details: Details) -> ImportItem? {
    guard let url = row.text(6, limit: 4096) else { return .skipped }
    guard Int(url) == nil else { return nil }
    // Sent directly, or by a share without a message: nothing says where the file is.
    guard HistoryText.isFileAddress(url) else { return .skipped }
    guard !details.found.contains(url.hashValue) else { return nil }
    guard let time = row.double(5).flatMap(HistoryText.time), let counterpart = row.int(1),
      let isSent = isSent(row), let address = details.addresses[counterpart],
      let account = row.account(0, of: details.accounts)
    else { return .refused(place: "\(database.path) file_transfer \(row.id)") }
    let isRoom = details.rooms.contains(counterpart)
    var message = ImportedMessage(
      account: account, conversation: address,
      kind: isRoom ? .room : .direct, direction: isSent ? .outgoing : .incoming,
      sentAt: time, precision: .second, body: url)
    message.nick = isRoom ? row.nick(isSent ? 3 : 2) : nil
    message.fileAddress = url
    return .message(message)
  }
}

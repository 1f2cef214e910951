import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The histories of profanity: its database `chatlog.db`, of an account each, or where there is
/// none its text logs.
package struct ProfanityFormat: HistoryFormat {
  package static let name = "profanity"

  private let databases: [String]
  /// The folders that cannot be read, where there are databases.
  private let unreadable: [String]
  private let logs: ProfanityLogs?
  private let context: ImportContext

  package static func recognizes(_ path: String) -> Bool {
    tree(path).contains { ForeignDatabase.recognizes($0) { try $0.hasTable("ChatLogs") } }
      || ProfanityLogs.recognizes(path)
  }

  package init(path: String, context: ImportContext) throws {
    self.context = context
    var (databases, unreadable): ([String], [String]) = ([], [])
    try Self.tree(path).forEach(
      { if ForeignDatabase.isDatabase($0) { databases.append($0) } },
      unreadable: { unreadable.append($0) })
    (self.databases, self.unreadable) = (databases, databases.isEmpty ? [] : unreadable)
    logs = databases.isEmpty ? ProfanityLogs(path: path, context: context) : nil
  }

  /// The databases in a folder of profanity, or of one of its accounts.
  private static func tree(_ path: String) -> HistoryTree {
    HistoryTree(path) { $0 == "chatlog.db" }
  }

  package func read(_ take: (ImportItem) throws -> Void) throws {
    for path in unreadable { try take(.refused(place: path)) }
    for path in databases {
      do { try read(path, take) } catch let failure as ImportFailure where databases.count > 1 {
        // Those of other accounts do not depend on it.
        if case .missingLibrary = failure { throw failure }
        try take(.refused(place: path))
      }
    }
    try logs?.read(take)
  }

  private static let needed: Set<String> = ["from_jid", "to_jid", "message", "timestamp", "type"]
  private static let columns = [
    "from_jid", "to_jid", "from_resource", "to_resource", "message", "timestamp", "type",
    "stanza_id", "archive_id", "replace_id",
  ]

  private func read(_ path: String, _ take: (ImportItem) throws -> Void) throws {
    let database = try ForeignDatabase(path: path)
    guard try database.columns(of: "ChatLogs").isSuperset(of: Self.needed) else {
      throw ImportFailure.damaged(path: path)
    }
    let account = try account(of: path, database)
    func refused(_ id: Int64) -> ImportItem { .refused(place: "\(path) ChatLogs \(id)") }
    try database.scan(
      "ChatLogs", Self.columns, tooLong: { try take(refused($0)) }
    ) { row in
      try take(Self.item(row, of: account) ?? refused(row.id))
    }
    try database.requireUnchanged()
  }

  /// - Parameter account: `nil`: it is not the user's, and the database does not say whose it is.
  private static func item(_ row: ForeignRow, of account: JID?) -> ImportItem? {
    guard let type = row.text(6), ["chat", "muc", "mucpm"].contains(type) else { return .skipped }
    guard let from = row.address(0), let to = row.address(1), !row.isTooLong(4),
      let date = row.text(5).flatMap(date)
    else { return nil }
    // A message of which nothing is kept.
    guard let body = row.body(4), body != "[REDACTED]" else { return .skipped }
    guard let account else { return .foreign }
    let isOutgoing = from.bare == account && (type != "chat" || to.bare != account)
    guard isOutgoing || to.bare == account || type != "chat" else { return .foreign }
    let peer = isOutgoing ? to.bare : from.bare
    let resource = row.nick(isOutgoing ? 3 : 2)
    var message = ImportedMessage(
      account: account, conversation: peer, kind: type == "muc" ? .room : .direct,
      direction: isOutgoing ? .outgoing : .incoming, sentAt: date, precision: .microsecond,
      body: body)
    if type == "mucpm" {
      // Without the nick, occupants cannot be distinguished.
      guard let occupant = resource.flatMap(peer.with(resource:)) else { return nil }
      message.conversation = occupant
    } else if type == "muc", !isOutgoing {
      message.nick = resource
    }
    message.originID = HistoryText.id(row.text(7))
    message.stanzaID = HistoryText.id(row.text(8))
    message.corrects = HistoryText.id(row.text(9))
    return .message(message)
  }

  /// `2026-11-28T21:04:10.128112Z`; older versions wrote `+0100` or `+01:00` for the zone.
  static func date(_ text: String) -> Date? {
    guard text.utf8.count <= 64 else { return nil }
    if let date = XEP0082DateTime.date(from: text) { return date }
    let zone = text.suffix(5)
    guard zone.utf8.count == 5, zone.hasPrefix("+") || zone.hasPrefix("-") else {
      // Without a zone it is UTC.
      return XEP0082DateTime.date(from: text + "Z")
    }
    return XEP0082DateTime.date(from: "\(text.dropLast(2)):\(text.suffix(2))")
  }

  /// Returns the account of a database: the address that all its messages with contacts are to or
  /// from, and if it has messages of rooms some of these, too: a peer has none. Where there are
  /// several, or there is none, the name of its folder decides, or else the user.
  private func account(of path: String, _ database: ForeignDatabase) throws -> JID? {
    var candidates: [JID] = []
    // The account is one side of any message with a contact. Grouping all messages by address would
    // sort them in memory.
    try database.forEachRow(
      """
      WITH one AS (SELECT from_jid, to_jid FROM chatlogs WHERE type = 'chat' LIMIT 1),
        side AS (SELECT from_jid AS address FROM one UNION SELECT to_jid FROM one)
      SELECT address FROM side
      WHERE NOT EXISTS (
          SELECT 1 FROM chatlogs
          WHERE type = 'chat' AND from_jid IS NOT address AND to_jid IS NOT address)
        AND (NOT EXISTS (SELECT 1 FROM chatlogs WHERE type IN ('muc', 'mucpm'))
          OR EXISTS (
            SELECT 1 FROM chatlogs
            WHERE type IN ('muc', 'mucpm') AND (from_jid = address OR to_jid = address)))
      """
    ) {
      if let jid = JID(parsing: $0.string(0)) { candidates.append(jid.bare) }
    }
    let folder = HistoryFolder.name(of: HistoryFolder.parent(of: path))
    let named = JID(parsing: folder.replacing("_at_", with: "@")).flatMap {
      $0.local == nil ? nil : $0.bare
    }
    let given = named ?? context.account?.bare
    if let given, candidates.isEmpty || candidates.contains(given) { return given }
    return candidates.count == 1 ? candidates[0] : named
  }
}

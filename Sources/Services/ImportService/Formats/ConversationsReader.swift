import BoundedText
import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// Makes messages of the rows of a backup of Conversations.
struct ConversationsReader {
  private struct Chat {
    let jid: JID
    let isRoom: Bool
  }

  /// Values of the columns `type`, `status` and `encryption`.
  private enum Value {
    static let texts: Set<Int> = [0, 1, 2, privateText, privateFile]
    static let files: Set<Int> = [1, 2, privateFile]
    static let privateText = 4
    static let privateFile = 5
    static let received = 0
    /// All statuses; of any other one it is not known who wrote the message.
    static let statuses = 0...8
    /// Not sent, failed, rejected, waiting, offered.
    static let unsent: Set<Int> = [1, 3, 4, 5, 6]
    /// Encrypted by PGP, and the failures of decryption.
    static let unreadable: Set<Int> = [1, 2, 4, 6, 7]
  }

  let path: String
  let account: JID
  private var chats: [String: Chat] = [:]
  /// The bytes that the conversations take, and the most of them: a small file may have any number,
  /// and all are kept.
  private var chatBytes = 0
  var mostChatBytes = 16 << 20
  /// About how many bytes a conversation takes besides those of its id and its address.
  private static let bytesPerChat = 200

  init(path: String, account: JID) {
    self.path = path
    self.account = account
  }

  /// - Returns: `nil` for a row that is no message.
  mutating func item(_ row: BackupRows.Row) -> ImportItem? {
    guard let values = row.values else { return refused(row) }
    guard row.table == "messages" else {
      guard let id = text(values["uuid"]), let jid = address(values["contactJid"]),
        let mode = number(values["mode"], orAbsent: 0), (0...1).contains(mode)
      else { return refused(row) }
      chatBytes += Self.bytesPerChat + id.utf8.count + jid.description.utf8.count
      guard chatBytes <= mostChatBytes else { return refused(row) }
      chats[id] = Chat(jid: jid, isRoom: mode == 1)
      return nil
    }
    return message(values, row)
  }

  private func refused(_ row: BackupRows.Row) -> ImportItem {
    .refused(place: "\(path) \(row.table) \(row.number)")
  }

  private func message(_ values: JSONValue, _ row: BackupRows.Row) -> ImportItem {
    guard let type = number(values["type"], orAbsent: 0),
      let status = number(values["status"]), Value.statuses.contains(status),
      let encryption = number(values["encryption"], orAbsent: 0),
      let deleted = number(values["deleted"], orAbsent: 0)
    else { return refused(row) }
    guard Value.texts.contains(type), !Value.unsent.contains(status),
      !Value.unreadable.contains(encryption), deleted != 1
    else { return .skipped }
    guard let chat = text(values["conversationUuid"]).flatMap({ chats[$0] }),
      let milliseconds = number(values["timeSent"]),
      let time = HistoryText.time(Double(milliseconds) / 1000)
    else { return refused(row) }
    guard let text = text(values["body"]), !text.isEmpty else { return .skipped }
    guard var body = HistoryText.body(text) else { return refused(row) }
    var file: String?
    let link = String(bounding: body.utf8.prefix { $0 != UInt8(ascii: "|") })
    if Value.files.contains(type) || number(values["oob"]) == 1 {
      // The address, then size, width and height.
      if HistoryText.isFileAddress(link) {
        (file, body) = (link, link)
      } else if Value.files.contains(type) {
        return .skipped
      }
    }
    let counterpart = address(values["counterpart"])
    guard counterpart != nil || isAbsent(values["counterpart"]) else { return refused(row) }
    let isPrivate = chat.isRoom && (type == Value.privateText || type == Value.privateFile)
    if isPrivate, counterpart?.isBare != false { return refused(row) }
    let isReceived = status == Value.received
    // Without its nick, the room itself would have sent it. What is said in private is to
    // an occupant of it.
    if chat.isRoom, isReceived || isPrivate, let counterpart, counterpart.bare != chat.jid.bare {
      return refused(row)
    }
    var message = ImportedMessage(
      account: account, conversation: (isPrivate ? counterpart : nil) ?? chat.jid.bare,
      kind: chat.isRoom && !isPrivate ? .room : .direct,
      direction: isReceived ? .incoming : .outgoing, sentAt: time, precision: .second, body: body)
    if chat.isRoom, !isPrivate { message.nick = counterpart?.resource }
    // Of a corrected message there is only the last text. The ids of its first version, by which an
    // archive has it, are beside that.
    let edit = edits(values["edited"])
    message.originID = HistoryText.id(
      edit?.id ?? self.text(values["remoteMsgId"])
        ?? (isReceived ? nil : self.text(values["uuid"])))
    message.stanzaID = HistoryText.id(
      edit == nil ? self.text(values["serverMsgId"]) : edit?.stanzaID)
    message.fileAddress = file
    return .message(message)
  }

  /// Returns the ids of the first version of a corrected message; `nil` for any other message.
  private func edits(_ value: JSONValue?) -> (id: String, stanzaID: String?)? {
    guard let text = text(value), !text.isEmpty,
      let first = (try? JSONValue(parsing: text.utf8))?.elements?.first,
      let id = first["edited_id"]?.string?.bounded
    else { return nil }
    return (id, first["server_msg_id"]?.string?.bounded)
  }

  private func address(_ value: JSONValue?) -> JID? { text(value).flatMap(JID.init(parsing:)) }

  /// Columns are texts, whatever their type in the database.
  private func number(_ value: JSONValue?) -> Int? {
    value?.int ?? value?.string.flatMap { Int($0) }
  }

  /// Returns a number, and another one where there is none; `nil` for a value that is no number.
  private func number(_ value: JSONValue?, orAbsent other: Int) -> Int? {
    isAbsent(value) ? other : number(value)
  }

  private func isAbsent(_ value: JSONValue?) -> Bool { value == nil || value == .null }

  private func text(_ value: JSONValue?) -> String? {
    switch value {
    case .text(let text): text.bounded
    case .integer(let number): String(number)
    default: nil
    }
  }
}

import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// Exports of Natter: JSON lines, each an object of a message, or an archive that has such lines.
///
/// The database in an archive is not used: the lines have the messages, and are merged with those
/// that are stored.
package struct NatterFormat: HistoryFormat {
  package static let name = "natter"

  private let lines: LineReader
  private let path: String
  private let account: JID?

  package static func recognizes(_ path: String) -> Bool {
    if NatterArchive.recognizes(path) { return true }
    guard let file = try? HistoryFile(path) else { return false }
    var reader = LineReader(file, count: NatterLine.limit, limit: NatterLine.limit)
    guard let line = try? reader.next(), let object = try? JSONValue(parsing: line.bytes) else {
      return false
    }
    return NatterLine.isHeader(object) || NatterLine.isMessage(object)
  }

  package init(path: String, context: ImportContext) throws {
    self.path = path
    let file = try HistoryFile(path)
    if NatterArchive.isTar(path) {
      let archive = try NatterArchive(file, newestSchema: context.newestSchema)
      lines = LineReader(
        file, from: archive.messages.offset, count: archive.messages.size, limit: NatterLine.limit)
      account = archive.account
    } else {
      lines = LineReader(file, limit: NatterLine.limit)
      account = nil
    }
  }

  package func read(_ take: (ImportItem) throws -> Void) throws {
    var lines = lines
    while let line = try lines.next() {
      guard !line.bytes.isEmpty || line.isTooLong else { continue }
      let object = line.isTooLong ? nil : try? JSONValue(parsing: line.bytes)
      let item = object.flatMap { NatterLine.item($0, of: account) }
      try take(item ?? .refused(place: "\(path):\(line.number)"))
    }
  }
}

/// A line of an export (interface.md, "Output for programs").
enum NatterLine {
  /// The longest line, in bytes: a text of the longest kind, all of it in escapes.
  static let limit = 8 << 20

  static func isHeader(_ object: JSONValue) -> Bool { object["natter-export"] != nil }

  static func isMessage(_ object: JSONValue) -> Bool {
    object["conversation"] != nil && object["at"] != nil && object["direction"] != nil
  }

  /// Returns what a line has; `nil` if it cannot be read.
  /// - Parameter account: that of an archive.
  static func item(_ object: JSONValue, of account: JID?) -> ImportItem? {
    if isHeader(object) {
      return object["natter-export"]?.int == 1 ? .skipped : nil
    }
    // Missing messages, and what a newer version adds.
    guard isMessage(object) else {
      if case .object = object { return .skipped }
      return nil
    }
    guard let account = jid(object["account"], or: account),
      let from = jid(object["from"], or: nil),
      let conversation = jid(object["conversation"]), let at = object["at"]?.string,
      let date = XEP0082DateTime.date(from: at), let direction = direction(object),
      let kind = object["kind"]?.string, ["direct", "room", "private"].contains(kind),
      texts.allSatisfy({ isTextOrAbsent(object[$0]) }),
      isTextOrAbsent(object["edited"]?["first"]), let body = HistoryText.body(text(object["body"]))
    else { return nil }
    // Without the text before, it is the text of the message.
    let first = object["edited"]?["first"]?.string.flatMap { HistoryText.body($0) }
    var message = ImportedMessage(
      account: account?.bare,
      conversation: kind == "private" ? conversation : conversation.bare,
      kind: kind == "room" ? .room : .direct, direction: direction, sentAt: date,
      precision: .microsecond, body: first ?? body)
    message.nick = kind == "room" ? object["nick"]?.string : nil
    message.originID = object["origin_id"]?.string
    message.stanzaID = object["stanza_id"]?.string
    var details = details(object, message.account)
    details.sender = from
    details.correctedText = first == nil ? nil : body
    details.content = content(object)
    message.details = details
    return .message(message)
  }

  /// The members that are texts. A value of another kind does not count as an absent one: without
  /// its nick, for example, the room itself would have sent a message.
  private static let texts = [
    "body", "nick", "origin_id", "stanza_id", "thread", "thread_parent", "retracted", "content",
    "delivery", "by",
  ]

  private static func isTextOrAbsent(_ value: JSONValue?) -> Bool {
    value == nil || value == .null || value?.string != nil
  }

  private static func text(_ value: JSONValue?) -> [UInt8] { Array((value?.string ?? "").utf8) }

  private static func jid(_ value: JSONValue?) -> JID? {
    value?.string.flatMap { JID(parsing: $0) }
  }

  /// Returns an address, and `other` if it is absent; `nil` for one that cannot be read, which
  /// would count as the user's or the contact's otherwise.
  private static func jid(_ value: JSONValue?, or other: JID?) -> JID?? {
    value == nil || value == .null ? .some(other) : jid(value).map { .some($0) }
  }

  private static func direction(_ object: JSONValue) -> Message.Direction? {
    switch object["direction"]?.string {
    case "in": .incoming
    case "out": .outgoing
    default: nil
    }
  }

  /// The most scalars of a name or namespace, as in a message that arrives.
  private static let nameLimit = 100

  /// Returns the kind of content. Earlier versions exported nothing else of it.
  private static func content(_ object: JSONValue) -> Message.Content? {
    func name(_ value: JSONValue?) -> String? {
      value?.string.flatMap { HistoryText.id($0) }
        .map { String($0.unicodeScalars.prefix(nameLimit)) }
    }
    switch object["content"]?.string {
    case "encrypted":
      let encryption = object["encryption"]
      return .encrypted(
        XEP0380Encryption(
          method: name(encryption?["method"]) ?? "?", name: name(encryption?["name"])))
    case "unknown": return .unknown(namespace: name(object["namespace"]) ?? "?")
    case "call":
      return .call(object["call"]?.string.flatMap(Message.Call.init) ?? .missed)
    default: return nil
    }
  }

  private static func details(_ object: JSONValue, _ account: JID?) -> ImportedMessage.Details {
    var details = ImportedMessage.Details()
    details.isDelayed = object["delayed"]?.bool ?? true
    details.delivery =
      switch object["delivery"]?.string {
      case "delivered": .delivered
      case "read": .read
      // Nothing that waited at that time is sent now.
      case "failed", "queued":
        .failed(reason: (object["failure"]?.string ?? "").beginning(bytes: 1000))
      default: .sent
      }
    if let reply = object["reply_to"], let id = HistoryText.id(reply["id"]?.string) {
      details.reply = Message.Reply(
        id: id, author: jid(reply["author"]),
        text: Message.Reply.shortened(reply["text"]?.string ?? ""))
    }
    details.thread = object["thread"]?.string.flatMap {
      Message.Thread(id: $0, parent: object["thread_parent"]?.string)
    }
    details.sentBy = object["by"]?.string.map { $0.beginning(bytes: 128) }
    details.retraction = object["retracted"]?.string.flatMap(Message.Retraction.init)
    details.file = file(object["file"])
    details.reactions = (object["reactions"]?.elements ?? []).compactMap { reaction in
      guard let sender = jid(reaction["from"]) else { return nil }
      let emoji = (reaction["emoji"]?.elements ?? []).prefix(XEP0444Reactions.limit)
        .compactMap(\.string).filter(XEP0444Reactions.isFit)
      guard !emoji.isEmpty else { return nil }
      return Message.Reaction(sender: sender, isOwn: sender.bare == account, emoji: emoji)
    }
    return details
  }

  private static func file(_ value: JSONValue?) -> SharedFile? {
    guard let value, let address = value["url"]?.string, HistoryText.isFileAddress(address) else {
      return nil
    }
    let digest = value["sha256"]?.string.flatMap { $0.utf8.count == 64 ? $0.lowercased() : nil }
    return SharedFile(
      address: address, name: value["name"]?.string, mediaType: value["type"]?.string,
      byteCount: value["size"]?.int.flatMap { $0 < 0 ? nil : $0 },
      digests: digest.map { [.sha256($0)] } ?? [],
      width: value["width"]?.int.flatMap { $0 < 1 ? nil : $0 },
      height: value["height"]?.int.flatMap { $0 < 1 ? nil : $0 })
  }
}

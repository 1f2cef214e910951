import FoundationEssentials
import NatterCore
import XMPP

/// The text logs of profanity: `chatlogs/ACCOUNT/PEER/YYYY_MM_DD.log`, for rooms
/// `chatlogs/ACCOUNT/rooms/ROOM/YYYY_MM_DD.log`, with `_at_` for the at sign. The further lines of
/// a text have no mark.
struct ProfanityLogs {
  private let path: String
  private let context: ImportContext

  init(path: String, context: ImportContext) {
    self.path = path
    self.context = context
  }

  static func recognizes(_ path: String) -> Bool { tree(path).contains { log($0) != nil } }

  /// A log, with what its path says.
  private struct Log {
    let path: String
    let account: JID
    let peer: JID
    let isRoom: Bool
  }

  private static func tree(_ path: String) -> HistoryTree {
    // The names of the folders around it count.
    HistoryTree(HistoryFolder.resolved(path) ?? path) { name in
      // The program has logs of its own, too: `logs/profanity.log`.
      var fields = FieldReader(name.utf8)
      return fields.number(4) != nil && fields.skip("_") && fields.number(2) != nil
        && fields.skip("_") && fields.number(2) != nil && fields.rest.elementsEqual(".log".utf8)
    }
  }

  private static func log(_ path: String) -> Log? {
    let parts = HistoryFolder.parts(of: path).suffix(4).map { String($0) }
    guard parts.count >= 3, let peer = address(parts[parts.count - 2]) else { return nil }
    let isRoom = parts[parts.count - 3] == "rooms"
    guard let owner = isRoom ? (parts.count == 4 ? parts[0] : nil) : parts[parts.count - 3],
      let account = address(owner), account.local != nil,
      let first = HistoryFile.beginning(of: path).split(separator: 0x0A).first,
      line(Array(first)) != nil
    else { return nil }
    return Log(path: path, account: account.bare, peer: peer.bare, isRoom: isRoom)
  }

  private static func address(_ name: String) -> JID? {
    JID(parsing: name.replacing("_at_", with: "@"))
  }

  func read(_ take: (ImportItem) throws -> Void) throws {
    try Self.tree(path).read(take) { file in
      guard let log = Self.log(file) else { return try take(.refused(place: file)) }
      try read(log, take)
    }
  }

  private func read(_ log: Log, _ take: (ImportItem) throws -> Void) throws {
    var reader = LineReader(try HistoryFile(log.path))
    var entry: (date: Date, text: [UInt8], number: Int)?
    var isTooLong = false
    func finish() throws {
      guard let entry else { return }
      let message = isTooLong ? nil : message(entry.date, entry.text, log)
      try take(message.map { .message($0) } ?? .refused(place: "\(log.path):\(entry.number)"))
    }
    while let line = try reader.next() {
      if !line.isTooLong, let (date, text) = Self.line(line.bytes) {
        try finish()
        entry = (date, Array(text), line.number)
        isTooLong = false
      } else if let size = entry?.text.count {
        if line.isTooLong || size + line.bytes.count > HistoryText.limit {
          isTooLong = true
        } else if !isTooLong {
          entry?.text.append(0x0A)
          entry?.text += line.bytes
        }
      } else {
        try take(.refused(place: "\(log.path):\(line.number)"))
      }
    }
    try finish()
  }

  /// Reads `2026-11-28T21:04:10.128112Z - text`.
  private static func line(_ bytes: [UInt8]) -> (date: Date, text: ArraySlice<UInt8>)? {
    guard let blank = bytes.prefix(48).firstIndex(of: 0x20),
      bytes[blank...].starts(with: " - ".utf8),
      let date = ProfanityFormat.date(String(decoding: bytes[..<blank], as: UTF8.self))
    else { return nil }
    return (date, bytes[(blank + 3)...])
  }

  /// `name: text`, or `*name text` for `/me`; the user is `me`, and the nick in a room.
  private func message(_ date: Date, _ text: [UInt8], _ log: Log) -> ImportedMessage? {
    let isAction = text.first == 0x2A
    let rest = isAction ? text.dropFirst() : text[...]
    let separator: [UInt8] = isAction ? [0x20] : [0x3A, 0x20]
    // Where a name is known to be the peer's, it may have the separator in it.
    let peer = Array(log.peer.description.utf8)
    var end: Int?
    if !log.isRoom, rest.starts(with: peer), rest.dropFirst(peer.count).starts(with: separator) {
      end = rest.startIndex + peer.count
    } else {
      end = rest.indices.first { rest[$0...].starts(with: separator) }
    }
    guard let end, let name = HistoryText.body(rest[..<end]),
      let said = HistoryText.body(rest[(end + separator.count)...])
    else { return nil }
    let isOwn = log.isRoom ? context.isOwn(name) : name == "me"
    var message = ImportedMessage(
      account: log.account, conversation: log.peer, kind: log.isRoom ? .room : .direct,
      direction: isOwn ? .outgoing : .incoming, sentAt: date, precision: .microsecond,
      body: isAction ? "/me " + said : said)
    if log.isRoom { message.nick = name }
    return message
  }
}

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

  static func recognizes(_ path: String) -> Bool { !files(below: path, limit: 1).isEmpty }

  /// A log, with what its path says.
  private struct Log {
    let path: String
    let account: JID
    let peer: JID
    let isRoom: Bool
  }

  /// Returns the logs at a path or below it.
  private static func files(
    below path: String, depth: Int = HistoryFiles.depth, limit: Int = .max
  ) -> [Log] {
    guard HistoryFiles.kind(of: path) == .folder else {
      return log(path).map { [$0] } ?? []
    }
    guard depth > 0 else { return [] }
    var found: [Log] = []
    for file in (try? HistoryFiles.files(of: path)) ?? [] where found.count < limit {
      if let log = log(file) { found.append(log) }
    }
    for folder in (try? HistoryFiles.folders(of: path)) ?? [] where found.count < limit {
      found += files(below: folder, depth: depth - 1, limit: limit - found.count)
    }
    return found
  }

  private static func log(_ path: String) -> Log? {
    let parts = path.split(separator: "/").suffix(4).map(String.init)
    guard parts.count >= 3, parts[parts.count - 1].hasSuffix(".log"),
      let peer = address(parts[parts.count - 2])
    else { return nil }
    let isRoom = parts[parts.count - 3] == "rooms"
    guard let owner = isRoom ? (parts.count == 4 ? parts[0] : nil) : parts[parts.count - 3],
      let account = address(owner), account.local != nil,
      let first = HistoryFiles.beginning(of: path).split(separator: 0x0A).first,
      line(Array(first)) != nil
    else { return nil }
    return Log(path: path, account: account.bare, peer: peer.bare, isRoom: isRoom)
  }

  private static func address(_ name: String) -> JID? {
    JID(parsing: name.replacing("_at_", with: "@"))
  }

  func read(_ take: (ImportItem) throws -> Void) throws {
    for log in Self.files(below: path) { try read(log, take) }
  }

  private func read(_ log: Log, _ take: (ImportItem) throws -> Void) throws {
    var reader = LineReader(try FileBytes(log.path))
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

import NatterCore
import XMPP

/// The histories of mcabber: a file for each contact or room, named by its bare address.
package struct McabberFormat: HistoryFormat {
  package static let name = "mcabber"

  /// The kinds of entry: messages that were received and sent, information, and states.
  private static let kinds: Set<String> = [
    "MR", "MS", "MI", "S_", "SO", "SF", "SD", "SN", "SA", "SI",
  ]

  private let tree: HistoryTree
  private let context: ImportContext

  package static func recognizes(_ path: String) -> Bool {
    HistoryTree(ofFiles: path).contains { file in
      guard let first = HistoryFile.beginning(of: file).split(separator: 0x0A).first,
        let head = NumberedLog.head(of: Array(first))
      else { return false }
      return kinds.contains(head.kind) && JID(parsing: HistoryFolder.name(of: file)) != nil
    }
  }

  package init(path: String, context: ImportContext) throws {
    tree = HistoryTree(ofFiles: path)
    self.context = context
  }

  package func read(_ take: (ImportItem) throws -> Void) throws {
    try tree.read(take) { try read($0, take) }
  }

  private func read(_ path: String, _ take: (ImportItem) throws -> Void) throws {
    guard let peer = JID(parsing: HistoryFolder.name(of: path)) else {
      return try take(.refused(place: path))
    }
    let isRoom = try isRoom(path)
    var log = NumberedLog(try HistoryFile(path), hasBlanks: false)
    while let item = try log.next() {
      switch item {
      case .refused(let number): try take(.refused(place: "\(path):\(number)"))
      case .entry(let entry) where entry.kind == "MR" || entry.kind == "MS":
        let bytes = Array(entry.lines.joined(separator: [0x0A]))
        let parts = isRoom ? Self.split(bytes) : (nick: [], text: bytes[...])
        // A room itself says who it is and who is in it.
        guard let parts else {
          try take(.skipped)
          continue
        }
        guard let body = HistoryText.body(parts.text) else {
          try take(.refused(place: "\(path):\(entry.number)"))
          continue
        }
        let nick = isRoom ? HistoryText.body(parts.nick) : nil
        let isOwn = entry.kind == "MS" || nick.map(context.isOwn) == true
        var message = ImportedMessage(
          conversation: peer.bare, kind: isRoom ? .room : .direct,
          direction: isOwn ? .outgoing : .incoming, sentAt: entry.date, precision: .second,
          body: body)
        message.nick = nick
        try take(.message(message))
      case .entry: try take(.skipped)
      }
    }
  }

  /// In a room everything is received, the user's own too, and begins with a nick.
  private func isRoom(_ path: String) throws -> Bool {
    var log = NumberedLog(try HistoryFile(path), hasBlanks: false)
    var hasNick = false
    while let item = try log.next() {
      guard case .entry(let entry) = item else { continue }
      if entry.kind == "MS" { return false }
      // Nobody joins a contact.
      if entry.kind == "MI", entry.lines.first?.starts(with: "You have joined".utf8) == true {
        return true
      }
      guard entry.kind == "MR", let first = entry.lines.first else { continue }
      guard Self.split(first) != nil || first.starts(with: "~ ".utf8) else { return false }
      hasNick = true
    }
    return hasNick
  }

  /// Splits `<nick> text`.
  private static func split(_ text: [UInt8]) -> (nick: ArraySlice<UInt8>, text: ArraySlice<UInt8>)?
  {
    guard text.first == 0x3C,
      let end = text.indices.first(where: { text[$0...].starts(with: [0x3E, 0x20]) }), end > 1
    else { return nil }
    return (text[1..<end], text[(end + 2)...])
  }
}

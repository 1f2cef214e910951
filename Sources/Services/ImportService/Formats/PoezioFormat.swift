import NatterCore
import XMPP

/// The logs of poezio: a file for each conversation, named by its address.
///
/// The entries have nicks only: the user's own ones are those of the context. They have lost `/me`.
package struct PoezioFormat: HistoryFormat {
  package static let name = "poezio"

  /// The number of lines that are examined to recognize a log.
  private static let examinedLines = 50

  private let tree: HistoryTree
  private let context: ImportContext

  package static func recognizes(_ path: String) -> Bool {
    HistoryTree(ofFiles: path).contains { file in
      HistoryFile.beginning(of: file).split(separator: 0x0A).prefix(examinedLines).contains {
        guard let head = NumberedLog.head(of: Array($0)), head.kind == "MR" else { return false }
        return split(Array(head.text)).map { $0.separator > 1 } == true
      }
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
    let name = HistoryFolder.name(of: path)
    // The logs of what was shown besides conversations.
    guard !["roster.log", "errors.log"].contains(name) else { return try take(.skipped) }
    // An occupant of a room has a file of the full address, with a backslash for the slash.
    guard let address = JID(parsing: name.replacing("\\", with: "/")) else {
      return try take(.refused(place: path))
    }
    let isOccupant = !address.isBare && RoomGuess.isRoomService(address.domain)
    let peer = isOccupant ? address : address.bare
    let kind = isOccupant ? .direct : try kind(of: path, peer)
    var log = NumberedLog(try HistoryFile(path), hasBlanks: true)
    while let item = try log.next() {
      switch item {
      case .refused(let number): try take(.refused(place: "\(path):\(number)"))
      case .entry(let entry) where entry.kind == "MR":
        guard let message = message(entry, with: peer, kind) else {
          try take(.refused(place: "\(path):\(entry.number)"))
          continue
        }
        try take(.message(message))
      case .entry: try take(.skipped)
      }
    }
  }

  private func message(
    _ entry: NumberedLog.Entry, with peer: JID, _ kind: Conversation.ConversationKind
  ) -> ImportedMessage? {
    guard let first = entry.lines.first, let parts = Self.split(first),
      let nick = HistoryText.body(parts.nick),
      let body = HistoryText.body(
        Array(([Array(parts.text)] + entry.lines.dropFirst()).joined(separator: [0x0A])))
    else { return nil }
    let isOwn = context.isOwn(nick)
    var message = ImportedMessage(
      conversation: peer, kind: kind, direction: isOwn ? .outgoing : .incoming,
      sentAt: entry.date, precision: .second, body: body)
    if kind == .room { message.nick = nick }
    return message
  }

  /// Returns the kind of a conversation: in a room more than two people speak, or information says
  /// who joined it.
  private func kind(of path: String, _ peer: JID) throws -> Conversation.ConversationKind {
    guard !RoomGuess.isRoomService(peer.domain) else { return .room }
    var log = NumberedLog(try HistoryFile(path), hasBlanks: true)
    var nicks: Set<[UInt8]> = []
    while let item = try log.next() {
      guard case .entry(let entry) = item else { continue }
      guard let first = entry.lines.first else { continue }
      if entry.kind == "MI", first.contains("joined the room".utf8) { return .room }
      guard entry.kind == "MR", let parts = Self.split(first) else { continue }
      nicks.insert(Array(parts.nick))
      if nicks.count > 2 { return .room }
    }
    return .direct
  }

  /// Splits `<nick> text`; between the two is a blank and a no-break space, in older versions
  /// another blank.
  private static func split(_ text: [UInt8]) -> (
    nick: ArraySlice<UInt8>, text: ArraySlice<UInt8>, separator: Int
  )? {
    guard text.first == 0x3C else { return nil }
    for separator in separators {
      if let end = text.indices.first(where: { text[$0...].starts(with: separator) }) {
        return (text[1..<end], text[(end + separator.count)...], separator.count - 1)
      }
    }
    return nil
  }

  private static let separators: [[UInt8]] = [
    [0x3E, 0x20, 0xC2, 0xA0], [0x3E, 0x20, 0x20], [0x3E, 0x20],
  ]
}

import BoundedText
import FoundationEssentials
import NatterCore
import XMPP

/// Reads the entries of one log of Pidgin.
struct PidginReader {
  /// The addresses of a log.
  struct Header {
    let account: JID
    let conversation: JID

    /// - Returns: `nil` if the log does not name them.
    init?(_ log: PidginLog) {
      let folder = log.isChat ? String(log.folder.dropLast(5)) : log.folder
      guard let account = JID(parsing: log.account), account.local != nil,
        let peer = JID(parsing: log.peer) ?? JID(parsing: folder)
      else { return nil }
      self.account = account.bare
      // Only occupants of rooms are logged with their resource.
      conversation = log.isChat ? peer.bare : peer
    }
  }

  /// An entry as the file has it.
  struct Entry {
    enum Sender { case own, other, unknown }

    let line: Int
    /// `nil`: it cannot be read.
    let time: Date?
    /// `nil`: it is no message.
    var name: String?
    var sender = Sender.unknown
    var isAction = false
    /// Text, or in an HTML log the markup of the body.
    var body: [UInt8]
    var isTooLong = false
    /// Indicates whether its end is in the file.
    var isWhole: Bool
  }

  /// The longest line: a body and what is before it, in bytes.
  private static let lineLimit = HistoryText.limit + 8192
  /// The beginnings of notices of rooms that look like messages in a log of text.
  private static let notices = ["The topic is", "has set the topic to", "has changed the topic to"]

  private let header: Header
  private let log: PidginLog
  private let context: ImportContext
  /// The names of the user that a log of text is searched for.
  private let own: [[UInt8]]
  private var clock: PidginClock
  private var entry: Entry?

  init(header: Header, log: PidginLog, context: ImportContext) {
    self.header = header
    self.log = log
    self.context = context
    own = context.ownNames.union([header.account.local ?? "", log.account]).filter { !$0.isEmpty }
      .map { Array($0.utf8) }
    clock = PidginClock(log.stamp, context: context)
  }

  mutating func read(_ take: (ImportItem) throws -> Void) throws {
    let file = try HistoryFile(log.path)
    try file.lines(limit: Self.lineLimit) { number, line in
      switch line {
      case .tooLong:
        try finish(take)
        try take(.refused(place: place(number)))
      case .text(let bytes): try add(bytes, number, take)
      case .cutOff(let bytes):
        try add(bytes, number, take)
        if !log.stamp.isHTML { entry?.isWhole = false }
      }
    }
    try finish(take)
  }

  private func place(_ line: Int) -> String { "\(log.path):\(line)" }

  /// Adds a line to the entry that it begins or goes on with.
  private mutating func add(
    _ line: [UInt8], _ number: Int, _ take: (ImportItem) throws -> Void
  ) throws {
    if let new = log.stamp.isHTML ? markup(line, number) : text(line, number) {
      try finish(take)
      entry = new
      return
    }
    guard var current = entry else {
      // Lines of the head, and what follows an entry that was finished.
      if number > 1, !isFrame(line) { try take(.refused(place: place(number))) }
      return
    }
    if log.stamp.isHTML, current.isWhole {
      try finish(take)
      if !isFrame(line) { try take(.refused(place: place(number))) }
      return
    }
    entry = nil
    current.body.append(0x0A)
    current.body += line
    if log.stamp.isHTML { current.isWhole = PidginMarkup.removeEnd(of: &current.body) }
    if current.body.count > Self.lineLimit {
      current.isTooLong = true
      current.body = []
    }
    entry = current
  }

  /// Returns whether a line belongs to the frame of an HTML file.
  private func isFrame(_ line: [UInt8]) -> Bool {
    guard log.stamp.isHTML else { return line.isEmpty }
    return line.isEmpty || line.starts(with: Array("</".utf8))
      || line.starts(with: Array("<h".utf8))
      || line.starts(with: Array("<meta".utf8)) || line.starts(with: Array("<title".utf8))
  }

  private mutating func finish(_ take: (ImportItem) throws -> Void) throws {
    guard let entry else { return }
    self.entry = nil
    try take(item(entry))
  }

  // MARK: Entries

  /// Returns the entry that begins with a line of text: `(21:04:10) bob: hello`.
  private mutating func text(_ line: [UInt8], _ number: Int) -> Entry? {
    guard line.first == UInt8(ascii: "("),
      let end = line.prefix(80).first(range: Array(") ".utf8)),
      PidginClock.isTime(line[1..<end])
    else { return nil }
    let rest = line[(end + 2)...]
    var entry = Entry(line: number, time: clock.time(line[1..<end]), body: [], isWhole: true)
    if rest.starts(with: Array("***".utf8)) {
      let action = rest.dropFirst(3)
      let name =
        own.filter { action.starts(with: $0 + [0x20]) }.max { $0.count < $1.count }
        ?? Array(action.prefix { $0 != 0x20 })
      entry.name = String(bounding: name)
      entry.isAction = true
      entry.body = Array(action.dropFirst(name.count + 1))
      return entry
    }
    let separator = Array(": ".utf8)
    let found = own.filter { rest.starts(with: $0 + separator) }.max { $0.count < $1.count }
    // Without a sender, it is a notice.
    guard let colon = found.map({ rest.startIndex + $0.count }) ?? rest.first(range: separator)
    else { return entry }
    let name = String(bounding: rest[..<colon])
    guard !Self.notices.contains(where: { name.hasPrefix($0) || name.hasSuffix($0) }) else {
      return entry
    }
    entry.name = name
    entry.body = Array(rest[(colon + 2)...])
    return entry
  }

  /// Returns the entry that begins with a line of HTML.
  private mutating func markup(_ line: [UInt8], _ number: Int) -> Entry? {
    guard let parts = PidginMarkup.entry(line[...]), PidginClock.isTime(parts.time) else {
      return nil
    }
    var body = Array(parts.body)
    let isWhole = PidginMarkup.removeEnd(of: &body)
    var entry = Entry(line: number, time: clock.time(parts.time), body: body, isWhole: isWhole)
    switch parts.colour {
    case .sent: entry.sender = .own
    case .received: entry.sender = .other
    case .action: entry.isAction = true
    case .notice: return entry
    }
    entry.name = parts.name
    if entry.isAction, let name = parts.name, name.hasPrefix("***") {
      entry.name = String(name.dropFirst(3))
    }
    return entry
  }

  private func item(_ entry: Entry) -> ImportItem {
    let refused = ImportItem.refused(place: place(entry.line))
    guard !entry.isTooLong, entry.isWhole, let time = entry.time else { return refused }
    guard var name = entry.name, !name.isEmpty else { return .skipped }
    let automatic = " <AUTO-REPLY>"
    if name.hasSuffix(automatic) { name = String(name.dropLast(automatic.count)) }
    let isOwn =
      switch entry.sender {
      case .own: true
      case .other: false
      case .unknown: context.isOwn(name, account: header.account) || name == log.account
      }
    guard
      var body = log.stamp.isHTML
        ? HistoryText.body(PidginMarkup.text(entry.body[...])) : HistoryText.body(entry.body)
    else { return refused }
    guard !body.isEmpty else { return .skipped }
    if entry.isAction { body = "/me " + body }
    var message = ImportedMessage(
      account: header.account, conversation: header.conversation,
      kind: log.isChat ? .room : .direct, direction: isOwn ? .outgoing : .incoming, sentAt: time,
      precision: .second, body: body)
    message.nick = log.isChat ? name : nil
    return .message(message)
  }
}

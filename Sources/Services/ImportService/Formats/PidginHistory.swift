import BoundedText
import NatterCore
import XMPP

/// The logs of Pidgin and Finch (libpurple 2), as text or HTML: a file, or any folder that has
/// some, up to `~/.purple`. A log is `logs/jabber/ACCOUNT/PEER[.chat]/TIME.txt`.
package struct PidginHistory: HistoryFormat {
  package static let name = "pidgin"

  private let tree: HistoryTree
  private let context: ImportContext

  package static func recognizes(_ path: String) -> Bool {
    tree(path).contains { PidginLog(path: $0) != nil }
  }

  package init(path: String, context: ImportContext) throws {
    tree = Self.tree(path)
    self.context = context
    if HistoryFolder.kind(of: path) != .folder { _ = try HistoryFile(path) }
  }

  private static func tree(_ path: String) -> HistoryTree {
    // The name of the folder is that of the contact.
    let path = HistoryFolder.resolved(path) ?? path
    // Of the program's folder, the logs only.
    let isProgram = HistoryFolder.kind(of: path + "/prefs.xml") == .file
    return HistoryTree(isProgram ? path + "/logs" : path) { PidginLog.Stamp($0) != nil }
  }

  package func read(_ take: (ImportItem) throws -> Void) throws {
    try tree.read(take) { file in
      guard let log = PidginLog(path: file) else {
        return try take(.refused(place: "\(file):1"))
      }
      guard !log.isSystem, log.isJabber else { return try take(.skipped) }
      guard let header = PidginReader.Header(log) else {
        return try take(.refused(place: "\(file):1"))
      }
      var reader = PidginReader(header: header, log: log, context: context)
      try reader.read(take)
    }
  }
}

/// What the name and the first line of a log contain.
struct PidginLog {
  /// The time in the name of a log: `2026-11-28.210410+0100CET.txt`.
  struct Stamp: Hashable {
    let start: LocalTime
    /// The offset of the log's times from UTC, in seconds; `nil`: an old log has none.
    let offset: Int?
    let isHTML: Bool

    init?(_ name: String) {
      var fields = FieldReader(name.utf8)
      guard let start = fields.localTime("-", ".", "") else { return nil }
      self.start = start
      offset = fields.offset()
      isHTML = name.hasSuffix(".html") || name.hasSuffix(".htm")
      guard isHTML || name.hasSuffix(".txt") else { return nil }
    }
  }

  let path: String
  let stamp: Stamp
  /// The other side, the account and the protocol, as the first line has them.
  let peer, account, service: String
  /// The name of the log's folder, decoded.
  let folder: String

  var isJabber: Bool { service == "jabber" }
  var isSystem: Bool { folder.hasSuffix(".system") || peer.isEmpty }
  var isChat: Bool { folder.hasSuffix(".chat") }

  /// - Returns: `nil` for a file that is no log.
  init?(path: String) {
    guard let stamp = Stamp(HistoryFolder.name(of: path)), let file = try? HistoryFile(path),
      let start = try? file.bytes(at: 0, count: 8192)
    else { return nil }
    let parent = HistoryFolder.name(of: HistoryFolder.parent(of: path))
    folder = String(bounding: PercentDecoding.bytes(of: parent))
    self.path = path
    self.stamp = stamp
    guard let title = Self.title(start) else { return nil }
    if title.starts(with: Array("System log for account ".utf8)) {
      (peer, account, service) = ("", "", "")
      return
    }
    // Parts have blanks, the date has any form: from the ends inwards.
    guard title.last == UInt8(ascii: ")"), let open = title.lastIndex(of: UInt8(ascii: "(")) else {
      return nil
    }
    service = String(decoding: title[(open + 1)...].dropLast(), as: UTF8.self)
    let prefix = Array("Conversation with ".utf8)
    guard title.starts(with: prefix) else { return nil }
    let rest = title[(title.startIndex + prefix.count)..<open]
    guard let at = rest.first(range: Array(" at ".utf8)),
      let on = rest[at...].last(range: Array(" on ".utf8))
    else { return nil }
    peer = String(bounding: rest[..<at])
    account = String(bounding: rest[(on + 4)...].filter { $0 != 0x20 })
  }

  private static func title(_ start: [UInt8]) -> ArraySlice<UInt8>? {
    var title = start.prefix { $0 != 0x0A && $0 != 0x0D }
    if title.first == UInt8(ascii: "<") {
      // Newer versions may write the parts of the head in lines of their own.
      guard let begin = start[...].first(range: Array("<title>".utf8)),
        let end = start[begin...].first(range: Array("</title>".utf8))
      else { return nil }
      title = start[(begin + 7)..<end]
    }
    return title
  }
}

extension ArraySlice<UInt8> {
  /// Returns where `bytes` begin first.
  func first(range bytes: [UInt8]) -> Int? {
    guard let first = bytes.first, count >= bytes.count else { return nil }
    return (startIndex...(endIndex - bytes.count)).first {
      self[$0] == first && self[$0...].starts(with: bytes)
    }
  }

  /// Returns where `bytes` begin last.
  func last(range bytes: [UInt8]) -> Int? {
    guard let first = bytes.first, count >= bytes.count else { return nil }
    return (startIndex...(endIndex - bytes.count)).last {
      self[$0] == first && self[$0...].starts(with: bytes)
    }
  }
}

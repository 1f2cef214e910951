import Foundation
import NatterCore
import TestSupport
import XMPP

@testable import ImportService
@testable import SQLite

/// A history that a test writes and reads.
struct HistoryFixture {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder("import") }

  func path(_ name: String) -> String { folder.path(name) }

  @discardableResult
  func write(_ text: String, _ name: String) throws -> String {
    try folder.write(text, to: name)
    return path(name)
  }

  @discardableResult
  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try Data(bytes).write(to: folder.url(name))
    return path(name)
  }

  /// Writes a database with small pages, so that it is a small file.
  @discardableResult
  func database(_ sql: String, _ name: String) throws -> String {
    let connection = try DatabaseConnection(path: path(name), flags: 6)
    try connection.runScript("PRAGMA page_size = 512;" + sql)
    return path(name)
  }

  /// Returns everything that a format finds.
  static func items(
    _ format: any HistoryFormat.Type, _ path: String, _ context: ImportContext = ImportContext()
  ) throws -> [ImportItem] {
    var items: [ImportItem] = []
    try format.init(path: path, context: context).read { items.append($0) }
    return items
  }

  /// Reads changed files, one after the other: each is read, or refused with an `ImportFailure`.
  /// - Returns: the number of messages in all of them.
  @discardableResult
  func readAll(
    _ format: any HistoryFormat.Type, _ name: String, _ variants: some Sequence<[UInt8]>,
    _ context: ImportContext = ImportContext()
  ) throws -> Int {
    var count = 0
    for bytes in variants {
      try write(bytes, name)
      _ = format.recognizes(path(name))
      do {
        try format.init(path: path(name), context: context).read {
          if case .message = $0 { count += 1 }
        }
      } catch is ImportFailure {}
    }
    return count
  }

  /// Returns the file cut off at lengths that are `step` apart.
  func cuts(_ name: String, step: Int = 1) throws -> some Sequence<[UInt8]> {
    let bytes = [UInt8](try Data(contentsOf: folder.url(name)))
    return stride(from: 0, to: bytes.count, by: step).lazy.map { Array(bytes[..<$0]) }
  }

  /// Returns the file with one byte changed, at offsets that are `step` apart.
  func flips(_ name: String, step: Int = 1) throws -> some Sequence<[UInt8]> {
    let bytes = [UInt8](try Data(contentsOf: folder.url(name)))
    return stride(from: 0, to: bytes.count, by: step).lazy.map { index in
      var changed = bytes
      changed[index] ^= index % 3 == 0 ? 0xFF : UInt8(1 << (index % 8))
      return changed
    }
  }

  /// The offset of the zone CET without summer time, for local times.
  static func context(own: Set<String> = []) -> ImportContext {
    var context = ImportContext()
    context.ownNames = own
    context.offset = { _ in 3600 }
    return context
  }
}

/// A message to compare with.
func message(
  _ body: String, in conversation: String, _ direction: Message.Direction = .incoming,
  at seconds: Int, account: String? = "alice@natter.test",
  _ change: (inout ImportedMessage) -> Void = { _ in }
) -> ImportItem {
  // The literals of tests are addresses.
  let none = JID(local: nil, domain: "none")
  var message = ImportedMessage(
    account: account.map { JID(parsing: $0) ?? none },
    conversation: JID(parsing: conversation) ?? none, kind: .direct, direction: direction,
    sentAt: Date(timeIntervalSince1970: Double(seconds)), precision: .second, body: body)
  change(&message)
  return .message(message)
}

/// A message of a room to compare with.
func roomMessage(
  _ body: String, by nick: String?, in room: String = "tea@rooms.natter.test",
  _ direction: Message.Direction = .incoming, at seconds: Int,
  account: String? = "alice@natter.test", _ change: (inout ImportedMessage) -> Void = { _ in }
) -> ImportItem {
  message(body, in: room, direction, at: seconds, account: account) {
    $0.kind = .room
    $0.nick = nick
    change(&$0)
  }
}

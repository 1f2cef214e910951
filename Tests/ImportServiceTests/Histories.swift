import Foundation
import NatterCore
import Testing
import TestSupport
import XMPP

@testable import ImportService

/// The fixtures, and what the suites share to read them.
enum Histories {
  static let alice = JID(local: "alice", domain: "natter.test")
  static let bob = JID(local: "bob", domain: "natter.test")
  static let tea = JID(local: "tea", domain: "rooms.natter.test")

  static func path(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)").path
  }

  static func context(_ names: Set<String> = []) -> ImportContext {
    var context = ImportContext()
    context.account = alice
    context.ownNames = names
    return context
  }

  static func read(
    _ format: any HistoryFormat.Type, _ path: String, _ context: ImportContext = context()
  ) throws -> [ImportItem] {
    var items: [ImportItem] = []
    try format.init(path: path, context: context).read { items.append($0) }
    return items
  }

  static func messages(_ items: [ImportItem]) -> [ImportedMessage] {
    items.compactMap { if case .message(let message) = $0 { message } else { nil } }
  }

  static func messages(
    _ format: any HistoryFormat.Type, _ path: String, _ context: ImportContext = context()
  ) throws -> [ImportedMessage] {
    messages(try read(format, path, context))
  }

  /// 28 November 2026, 21:04:00 UTC, and some seconds.
  static func date(_ seconds: Double) -> Date {
    Date(timeIntervalSince1970: 1_795_899_840 + seconds)
  }

  /// Reads a file cut off at each length, and with a bit of each byte changed: it may be refused,
  /// and nothing else happens.
  /// - Parameter step: between the lengths and bytes that are tried.
  static func damage(
    _ format: any HistoryFormat.Type, _ bytes: [UInt8], as name: String, step: Int = 1
  ) throws {
    let folder = try TemporaryFolder("damage")
    defer { folder.remove() }
    let url = folder.url(name)
    func tryToRead(_ bytes: [UInt8]) throws {
      try Data(bytes).write(to: url)
      _ = format.recognizes(url.path)
      do { _ = try read(format, url.path) } catch is ImportFailure {}
    }
    for length in stride(from: 0, through: bytes.count, by: step) {
      try tryToRead(Array(bytes.prefix(length)))
    }
    for index in stride(from: 0, to: bytes.count, by: step) {
      var changed = bytes
      changed[index] ^= 1 << UInt8(index % 8)
      try tryToRead(changed)
    }
  }
}

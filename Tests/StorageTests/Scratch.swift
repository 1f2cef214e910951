import Foundation
import NatterCore
import XMPP

/// A directory of one test, removed with everything in it when the test is over.
final class Scratch {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "natter-storage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }
  func bytes(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }
  func write(_ data: Data, to name: String) throws {
    try data.write(to: url.appending(path: name))
  }
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}

/// People and messages that the suites of this module share.
enum Sample {
  static let romeo = JID(local: "romeo", domain: "example.org", resource: "natter")
  static let juliet = JID(local: "juliet", domain: "example.org")
  static let phone = JID(local: "juliet", domain: "example.org", resource: "phone")
  static let tablet = JID(local: "juliet", domain: "example.org", resource: "tablet")
  static let room = JID(local: "balcony", domain: "rooms.example.org")

  static func date(_ seconds: Double) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + seconds)
  }

  static func message(
    _ body: String, at seconds: Double = 0, from sender: JID = phone, in conversation: JID = juliet,
    origin: String? = nil, stanza: String? = nil, direction: Message.Direction = .incoming
  ) -> IncomingMessage {
    IncomingMessage(
      conversation: conversation, sender: sender, direction: direction, body: body,
      sentAt: date(seconds), originID: origin, stanzaID: stanza)
  }
}

extension StoredMessages {
  /// The parts that most tests check.
  var parts: (messages: [Message], conversations: [Conversation]) { (messages, conversations) }
}

import ExportService
import Foundation
import NatterCore
import TestSupport
import XMPP

/// People and messages that the suites of this module share.
enum Sample {
  static let account = JID(local: "me", domain: "example.org")
  static let bob = JID(local: "bob", domain: "example.org")
  static let room = JID(local: "tea", domain: "rooms.example.org")
  static let carol = JID(local: "tea", domain: "rooms.example.org", resource: "carol")
  /// 28 November 2026, 10:00:00 UTC.
  static let start = Date(timeIntervalSince1970: 1_795_860_000)

  static let chat = ExportedConversation(jid: bob, kind: "direct", name: "Bob")
  static let tea = ExportedConversation(jid: room, kind: "room", name: "Tea <room>")

  static func message(
    _ body: String, id: Int64 = 1, at seconds: Double = 0, in conversation: JID = bob,
    from sender: JID? = nil, delivery: Delivery? = nil, file: SharedFile? = nil,
    reply: Message.Reply? = nil, isEdited: Bool = false, reactions: [Message.Reaction] = [],
    retraction: Message.Retraction? = nil
  ) -> Message {
    let sender = sender ?? conversation
    return Message(
      id: Message.ID(id), conversation: conversation, sender: sender,
      direction: sender.bare == account ? .outgoing : .incoming, body: body,
      sentAt: start.addingTimeInterval(seconds), originID: "o\(id)", delivery: delivery,
      file: file, reply: reply, edit: isEdited ? Message.Edit(originID: nil) : nil,
      reactions: reactions, retraction: retraction)
  }

  static let hole = HistoryHole(after: start, before: start.addingTimeInterval(60))
}

/// Messages in memory, in pages of two.
struct FakeSource: ExportSource {
  let account = Sample.account
  var conversations = [Sample.chat]
  var items: [JID: [ExportItem]] = [:]

  init(_ items: [ExportItem] = [], in conversation: ExportedConversation = Sample.chat) {
    conversations = [conversation]
    self.items = [conversation.jid: items]
  }

  init(_ messages: Message...) { self.init(messages.map { .message($0, first: nil) }) }

  func read(
    _ conversation: JID, in period: ExportPeriod, _ take: ([ExportItem]) throws -> Void
  ) async throws {
    var rest = items[conversation, default: []][...]
    while !rest.isEmpty {
      try take(Array(rest.prefix(2)))
      rest = rest.dropFirst(2)
    }
  }
}

/// Texts that show which of them was asked for.
struct FakeTexts: ExportWording, ExportLines {
  /// Takes every text for an address, whatever it is.
  var takesAllForLinks = false

  func lines(of message: Message) -> String { "\(message.sender): \(message.body)" }
  func heading(of conversation: ExportedConversation) -> String { "= \(conversation.name)" }
  let gap = "---"

  let language = "en"
  func label(_ label: ExportLabel) -> String { "\(label)" }
  func moment(_ date: Date) -> ExportMoment {
    let seconds = Int(date.timeIntervalSince1970)
    return ExportMoment(
      day: seconds / 86_400, title: "day \(seconds / 86_400)", time: "\(seconds % 86_400)")
  }
  func speaker(of message: Message) -> String { message.sender.resource ?? "<Bob>" }
  func name(of sender: JID, in conversation: JID) -> String { "<\(sender)>" }
  func text(of message: Message) -> String {
    message.retraction == nil ? message.body : "gone"
  }
  func facts(of file: SharedFile) -> String { "<facts>" }
  func links(in text: Substring) -> [Range<String.Index>] {
    if takesAllForLinks { return [text.startIndex..<text.endIndex] }
    return text.ranges(of: /(?:https?|xmpp|javascript|data):\S+/)
  }
}

/// The lines that an export printed.
final class Printed {
  private(set) var text = ""
  func print(_ line: String) { text += line + "\n" }
  var lines: [String] { text.split(separator: "\n").map(String.init) }
}

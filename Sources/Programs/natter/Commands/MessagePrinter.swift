import FoundationEssentials
import NatterCore
import Storage
import Terminal
import Text
import ViewModels
import XMPP

/// Prints the stored messages of an account: as JSON objects, or as lines in local time.
struct MessagePrinter {
  let account: JID
  let database: AccountDatabase
  let names: StoredNames
  let isJSON: Bool
  let output: ReadingOutput
  /// Indicates whether a line names the conversation.
  var showsConversation = false

  private var format: ItemFormat { names.format }

  /// Prints a message with its whole text.
  func print(_ message: Message) async throws {
    let message = try await database.timeline.whole(message)
    guard isJSON else { return try output.print(lines(of: message)) }
    let first =
      try await message.edit == nil ? nil : database.details.firstText(of: message.id)
    try output.print(object(for: message, first: first))
  }

  /// Prints that messages are missing.
  func print(_ hole: HistoryHole) throws {
    guard isJSON else { return try output.print(format.localizer("cli.history-missing")) }
    try output.print(
      JSONLine {
        $0.add("hole") {
          $0.add("before", hole.before)
          $0.add("after", hole.after)
        }
      })
  }

  // MARK: - Lines

  /// The start of each line of a message after its first: a line end in a message cannot imitate a
  /// new one.
  private static let continuation = "    "

  /// Returns time, name and text, made safe for a terminal.
  func lines(of message: Message) -> String {
    let name = names.speaker(of: message)
    var head = format.stamp(message.sentAt) + " "
    if showsConversation { head += SafeText.line(message.conversation.shown) + " " }
    head += SafeText.line(name) + "  "
    let lines = text(of: message, by: name).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return head
      + lines.map { SafeText.line(format.shown(String($0))) }
      .joined(separator: "\n" + Self.continuation)
  }

  private func text(of message: Message, by name: String) -> String {
    switch message.retraction {
    case .author: return format.localizer("timeline.deleted")
    case .moderator: return format.localizer("timeline.deletedByModerator")
    case nil: break
    }
    let text = format.text(of: message, by: name, now: message.sentAt).withoutEmptyLinesAround
    guard let file = message.file else { return text }
    let facts = [file.safeName, format.facts(of: file), file.address].filter { !$0.isEmpty }
    let reported = format.localizer.list(facts)
    return text == file.address || text.isEmpty ? reported : text + "\n" + reported
  }

  // MARK: - Objects

  /// Returns the members of a message in the output for programs (interface.md, "Output for
  /// programs").
  /// - Parameter first: the text before the corrections.
  func object(for message: Message, first: String?) -> JSONLine {
    let kind = names.kind(of: message.conversation)
    let isIncoming = message.direction == .incoming
    let hasNick = kind == "room" || kind == "private" && isIncoming
    return JSONLine {
      $0.add("id", String(message.id.rawValue))
      $0.add("account", account.description)
      $0.add("conversation", message.conversation.description)
      $0.add("kind", kind)
      $0.add("from", message.sender.description)
      $0.add("nick", hasNick ? message.sender.resource : nil)
      $0.add("direction", isIncoming ? "in" : "out")
      $0.add("at", message.sentAt)
      $0.add("body", message.body)
      $0.add("content", message.content.map(Self.name))
      Self.add(message.delivery, to: &$0)
      $0.add("delayed", message.isDelayed)
      $0.add("origin_id", message.originID)
      $0.add("stanza_id", message.stanzaID)
      Self.addRelations(of: message, first: first, to: &$0)
      if let file = message.file { Self.add(file, to: &$0) }
    }
  }

  nonisolated private static func name(of content: Message.Content) -> String {
    switch content {
    case .encrypted: "encrypted"
    case .unknown: "unknown"
    case .call: "call"
    }
  }

  nonisolated private static func add(_ delivery: Delivery?, to line: inout JSONLine) {
    switch delivery {
    case nil: break
    case .queued: line.add("delivery", "queued")
    case .sent: line.add("delivery", "sent")
    case .delivered: line.add("delivery", "delivered")
    case .read: line.add("delivery", "read")
    case .failed(let reason):
      line.add("delivery", "failed")
      line.add("failure", reason)
    }
  }

  nonisolated private static func addRelations(
    of message: Message, first: String?, to line: inout JSONLine
  ) {
    if let reply = message.reply {
      line.add("reply_to") {
        $0.add("id", reply.id)
        $0.add("author", reply.author?.description)
        $0.add("text", reply.text)
      }
    }
    if message.edit != nil { line.add("edited") { $0.add("first", first) } }
    if !message.reactions.isEmpty {
      line.add(
        "reactions",
        message.reactions.map { reaction in
          JSONLine {
            $0.add("from", reaction.sender.description)
            $0.add("emoji", reaction.emoji)
          }
        })
    }
    line.add("retracted", message.retraction?.rawValue)
  }

  nonisolated private static func add(_ file: SharedFile, to line: inout JSONLine) {
    line.add("file") {
      $0.add("url", file.address)
      $0.add("name", file.name)
      $0.add("type", file.mediaType)
      $0.add("size", file.size)
      $0.add("sha256", file.digests.first { $0.algorithm == .sha256 }?.hexadecimal)
      $0.add("width", file.width)
      $0.add("height", file.height)
    }
  }
}

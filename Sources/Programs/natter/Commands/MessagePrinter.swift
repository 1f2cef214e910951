import FoundationEssentials
import JSONLines
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
    try output.print(
      JSONLine(message, of: account, kind: names.kind(of: message.conversation), first: first))
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

  /// Returns a time as it is in lines.
  func stamp(_ time: Date) -> String { format.stamp(time) }

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
}

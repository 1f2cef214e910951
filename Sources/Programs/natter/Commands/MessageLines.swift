import NatterCore
import Terminal
import Text
import ViewModels
import XMPP

/// Messages as lines in local time.
nonisolated struct MessageLines: Sendable {
  let names: StoredNames
  /// Indicates whether a line names the conversation.
  var showsConversation = false

  private var format: ItemFormat { names.format }

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

  /// Returns the text of a message with that of its file, or a description of one without text.
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

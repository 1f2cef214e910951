import NatterCore
import Text
import XMPP

/// A list of messages of one conversation to choose from.
struct MessageList {
  let shell: ShellViewModel

  /// Shows the list; Enter goes to a message.
  /// - Parameters:
  ///   - beginnings: the first messages of threads, which follow with the names of these.
  ///   - selected: the index of the message that is selected at first.
  func offer(
    _ messages: [Message], _ beginnings: [Message] = [], in jid: JID, title: String,
    selected: Int = 0
  ) {
    let format = shell.format
    let labels =
      self.labels(of: messages)
      + zip(beginnings, self.labels(of: beginnings)).map { message, label in
        let name = message.thread.map { ThreadMarks.name(of: $0) } ?? ""
        return "\(format.localizer("timeline.thread", ["name": name])) \(label)"
      }
    let messages = messages + beginnings
    shell.actions.choose(
      ChoiceRequest(title: title, labels: labels, selected: selected) { [weak shell] in
        if let index = $0 { shell?.reveal(messages[index].id, in: jid) }
      })
  }

  private func labels(of messages: [Message]) -> [String] {
    let format = shell.format
    let now = shell.now()
    return messages.map { message in
      let author = shell.timeline.author(of: message)
      let text =
        message.file.map { $0.safeName }
        ?? format.shortText(of: message, by: author, now: now, limit: 200)
      return ErrorText.oneLine(
        "\(format.shortDay(message.sentAt, now: now))  \(author): \(text)", limit: 300)
    }
  }
}

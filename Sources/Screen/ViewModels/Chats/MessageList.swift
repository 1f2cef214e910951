import NatterCore
import Text
import XMPP

/// A list of messages of one conversation to choose from.
struct MessageList {
  let shell: ShellViewModel

  /// Shows the list; Enter goes to a message.
  /// - Parameter selected: the index of the message that is selected at first.
  func offer(_ messages: [Message], in jid: JID, title: String, selected: Int = 0) {
    let format = shell.format
    let now = shell.now()
    let labels = messages.map { message in
      let author = shell.timeline.author(of: message)
      let text =
        message.file.map { $0.safeName }
        ?? format.shortText(of: message, by: author, now: now, limit: 200)
      return ErrorText.oneLine(
        "\(format.shortDay(message.sentAt, now: now))  \(author): \(text)", limit: 300)
    }
    shell.actions.choose(
      ChoiceRequest(title: title, labels: labels, selected: selected) { [weak shell] in
        if let index = $0 { shell?.reveal(messages[index].id, in: jid) }
      })
  }
}

import NatterCore
import Text
import XMPP

/// Forwards messages to other conversations. A text goes into the input there, as a quotation with
/// its author: nothing is sent before the user has seen it.
package struct MessageForwarding {
  let shell: ShellViewModel

  /// Forwards the message in hand.
  /// - Parameter jid: the other conversation; `nil` asks for it.
  package func begin(to jid: JID? = nil) {
    guard let message = shell.timeline.messageInHand else {
      return shell.show(StatusNotice(.info, "status.noMessage"))
    }
    guard !message.isRetracted, message.content == nil else {
      return shell.show(StatusNotice(.info, "status.notForwardable"))
    }
    guard message.file != nil else { return forward(message, to: jid) }
    if let jid { shell.forward(message, to: jid) } else { shell.chooseTarget(of: message) }
  }

  private func forward(_ message: Message, to jid: JID?) {
    WholeText(shell: shell).of(message) { shell, whole in
      if let jid { return shell.tools.forwarding.put(whole, into: jid) }
      let all = (shell.recentConversations + shell.contactsWithoutConversation).filter {
        $0 != whole.conversation
      }
      guard !all.isEmpty else { return shell.show(StatusNotice(.info, "status.nobodyToForward")) }
      shell.actions.choose(
        ChoiceRequest(
          title: shell.format.localizer("forward.title"), labels: all.map { shell.name(of: $0) },
          selected: 0
        ) { [weak shell] in
          if let index = $0 { shell?.tools.forwarding.put(whole, into: all[index]) }
        })
    }
  }

  private func put(_ message: Message, into jid: JID) {
    if let error = shell.obstacle(to: jid) ?? shell.absence(of: jid) { return shell.report(error) }
    let body = quotation(of: message)
    shell.open(jid) { [weak shell] in
      guard let shell, shell.activeConversation == jid else { return }
      AddedBody(text: body).add(to: shell.input)
      shell.show(StatusNotice(.info, "status.forwardedText"))
    }
  }

  /// Returns the text as a quotation (XEP-0393 §4.3) below the name of its author.
  func quotation(of message: Message) -> String {
    // Every line break that a reader may show as one: no line may look like the user's own.
    let lines = message.body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { "> " + $0 }.joined(separator: "\n")
    // The user's own text needs no name.
    guard message.direction == .incoming else { return lines }
    let author = ErrorText.oneLine(shell.people.shortName(of: message.sender))
    // As an argument it could get direction marks, which are not to be sent.
    let heading = shell.format.localizer("forward.author").replacing("{name}", with: author)
    return heading + "\n" + lines
  }
}

import FoundationEssentials
import NatterCore
import Text
import XMPP

nonisolated extension Message {
  /// The longest time that a call rings. The end of a call may never arrive: its client may have
  /// lost the connection.
  private static let longestRinging: TimeInterval = 300

  /// Returns what the message is at a time: a call that began long before is missed, as far as is
  /// known.
  package func content(at now: Date) -> Content? {
    let isOver = now.timeIntervalSince(sentAt) > Self.longestRinging
    return content == .call(.ringing) && isOver ? .call(.missed) : content
  }
}

nonisolated extension ItemFormat {
  /// Returns the text of a message for a row, or a description of a message without text.
  /// - Parameters:
  ///   - name: the sender's name.
  ///   - now: the time at which the text is shown.
  package func bodyText(of message: Message, by name: String, now: Date) -> String {
    guard let content = message.content(at: now) else {
      return message.location.map { text(of: $0) } ?? shown(message.body.withoutEmptyLinesAround)
    }
    return bodyText(of: content, by: name)
  }

  /// Returns the same for copies, quotes and notices: the text as received.
  package func text(of message: Message, by name: String, now: Date) -> String {
    message.content == nil ? message.body : bodyText(of: message, by: name, now: now)
  }

  /// Returns the same, cut to `limit` characters.
  func shortText(of message: Message, by name: String, now: Date, limit: Int = 40) -> String {
    let bodyText = bodyText(of: message, by: name, now: now)
    return ErrorText.oneLine(bodyText.count > limit ? bodyText.prefix(limit - 1) + "…" : bodyText)
  }

  /// Returns the same for output that prints each message once: without empty lines around the
  /// text, and with the warning that a reply to an encrypted message is not encrypted.
  package func printed(_ message: Message, by name: String, now: Date) -> String {
    if let location = message.location { return self.text(of: location) }
    let text = text(of: message, by: name, now: now).withoutEmptyLinesAround
    return message.isEncrypted && message.direction == .incoming
      ? text + ". " + localizer("timeline.unencrypted") : text
  }

  private func bodyText(of content: Message.Content, by name: String) -> String {
    switch content {
    case .encrypted(let encryption):
      localizer("timeline.encrypted", ["name": shown(ErrorText.oneLine(encryption.title))])
    case .unknown(namespace: MessageStanza.overLimitNamespace): localizer("timeline.overLimit")
    case .unknown(let namespace):
      localizer("timeline.unknown", ["namespace": shown(ErrorText.oneLine(namespace))])
    case .call(let call): localizer("timeline.call.\(call.rawValue)", ["name": name])
    }
  }
}

extension String {
  /// The text without leading and trailing empty lines; the indentation of the first line stays.
  nonisolated package var withoutEmptyLinesAround: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    let start = self[..<first].lastIndex(where: \.isNewline).map { index(after: $0) } ?? startIndex
    guard start > startIndex || index(after: last) < endIndex else { return self }
    return String(self[start...last])
  }
}

import NatterCore
import XMPP

nonisolated extension ItemFormat {
  /// What a message says, for a row: its text, or what it is where that is not what was said.
  /// - Parameter name: what its sender is called.
  package func words(of message: Message, by name: String) -> String {
    guard let content = message.content else { return shown(message.body.withoutEmptyLinesAround) }
    return words(of: content, by: name)
  }

  /// The same as it is copied, quoted or told elsewhere: its text as it came.
  package func text(of message: Message, by name: String) -> String {
    message.content == nil ? message.body : words(of: message, by: name)
  }

  /// The same in so many characters.
  func shortWords(of message: Message, by name: String, limit: Int = 40) -> String {
    let words = words(of: message, by: name)
    return ErrorText.oneLine(words.count > limit ? words.prefix(limit - 1) + "…" : words)
  }

  /// The same where each message is printed once: the answer to an encrypted one is not encrypted.
  package func printed(_ message: Message, by name: String) -> String {
    let text = text(of: message, by: name)
    return message.isEncrypted && message.direction == .incoming
      ? text + ". " + localizer("timeline.unencrypted") : text
  }

  private func words(of content: Message.Content, by name: String) -> String {
    switch content {
    case .encrypted(let encryption):
      localizer("timeline.encrypted", ["name": shown(ErrorText.oneLine(encryption.title))])
    case .unknown(let namespace):
      localizer("timeline.unknown", ["namespace": shown(ErrorText.oneLine(namespace))])
    case .call(let call): localizer("timeline.call.\(call.rawValue)", ["name": name])
    }
  }
}

extension String {
  /// Without empty lines before its first and after its last word; how far the first line is indented stays.
  nonisolated package var withoutEmptyLinesAround: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    let start = self[..<first].lastIndex(where: \.isNewline).map { index(after: $0) } ?? startIndex
    guard start > startIndex || index(after: last) < endIndex else { return self }
    return String(self[start...last])
  }
}

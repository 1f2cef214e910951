import NatterCore

/// The messages with files that line mode printed last, by the numbers that it gave them.
///
/// A number keeps its file for the whole run, as long as it is among the newest.
struct PrintedFiles {
  /// The most files that can be named by a number.
  static let limit = 1000

  /// The messages of the files without their texts, the oldest first.
  private var messages: [Message] = []
  private var numbers: [Message.ID: Int] = [:]
  private var firstNumber = 1

  /// Returns the message of that number; `nil`: no file has it, or not any more.
  subscript(number: Int) -> Message? {
    let (position, overflows) = number.subtractingReportingOverflow(firstNumber)
    return !overflows && messages.indices.contains(position) ? messages[position] : nil
  }

  /// Returns the number of a message: the one that it has, or the next.
  mutating func number(of message: Message) -> Int {
    if let known = numbers[message.id] { return known }
    messages.append(
      Message(
        id: message.id, conversation: message.conversation, sender: message.sender,
        // Loading a file does not need the text, which may be long.
        direction: message.direction, body: "", sentAt: message.sentAt,
        placedAt: message.position.time, originID: message.originID, stanzaID: message.stanzaID,
        file: message.file))
    if messages.count > Self.limit {
      numbers[messages.removeFirst().id] = nil
      firstNumber += 1
    }
    let number = firstNumber + messages.count - 1
    numbers[message.id] = number
    return number
  }
}

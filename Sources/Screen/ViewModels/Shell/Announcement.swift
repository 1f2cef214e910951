import Text

/// The announcement of new messages in one line, for screen readers.
nonisolated struct Announcement: Hashable, Sendable {
  /// The number of messages.
  private var count = 0
  /// The senders, each once, and the text of the last message.
  private var names: [String] = []
  private var text = ""
  /// True if it was on the screen: the next message starts a new announcement.
  var isReported = false

  var isEmpty: Bool { count == 0 }

  mutating func add(_ news: [(name: String, text: String)]) {
    if isReported { self = Announcement() }
    for (name, text) in news {
      count += 1
      names.removeAll { $0 == name }
      names.append(name)
      self.text = text
    }
  }

  /// Returns `Bob: hello`; for several messages their number and the last one.
  func text(_ localizer: Localizer) -> String {
    let name = names.last ?? ""
    let last = "\(name): \(text)"
    if count < 2 { return last }
    guard names.count == 1 else {
      return localizer.plural("status.newMessages", count, ["last": last])
    }
    return localizer.plural("status.newMessagesFrom", count, ["name": name, "text": text])
  }
}

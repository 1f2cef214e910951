/// What is told of new messages in one line, for somebody who hears the screen.
nonisolated struct Announcement: Hashable, Sendable {
  /// How many messages it is about.
  private var count = 0
  /// Who wrote them, each once, and what the last one says.
  private var names: [String] = []
  private var text = ""
  /// Whether it was on the screen: what comes next begins a new one.
  var isTold = false

  var isEmpty: Bool { count == 0 }

  mutating func add(_ news: [(name: String, text: String)]) {
    if isTold { self = Announcement() }
    for (name, text) in news {
      count += 1
      names.removeAll { $0 == name }
      names.append(name)
      self.text = text
    }
  }

  /// `Bob: hello`; of several: how many there are, and the last one.
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

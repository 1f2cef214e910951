import NatterCore
import Text

// Completing and pasting.
extension InputViewModel {
  /// Indicates whether the input has no second line: it is blank, or a command of one line so far.
  package var isForOneLine: Bool {
    text.trimmed.isEmpty
      || text.isCommandLine && !text.contains(where: \.isNewline)
  }

  /// Completes the word before the cursor, or goes on to the next candidate.
  /// - Returns: whether anything could be completed.
  @discardableResult package func complete(backwards: Bool = false) -> Bool {
    if var current = completion {
      let count = current.items.count
      current.index = (current.index + (backwards ? count - 1 : 1)) % count
      insert(current)
      completion = current
      asked?.text = text
      return true
    }
    let position = text.utf8.index(text.startIndex, offsetBy: min(cursor, text.utf8.count))
    let (head, tail) = (String(text[..<position]), String(text[position...]))
    let found = source.completion(head: head, tail: tail)
    if let found { offer(found) }
    asked = AskedCompletion(head: head, tail: tail, items: found?.items ?? [], text: text)
    return found != nil
  }

  /// There are more candidates: the last completion runs once more, unless the user has typed since
  /// or closed the list; the candidate in the input stays.
  func completeAgain() {
    guard let asked, asked.text == text,
      var found = source.completion(head: asked.head, tail: asked.tail), found.items != asked.items
    else { return }
    let current = completion.map { $0.items[$0.index] } ?? asked.items.first
    found.index = found.items.firstIndex { $0.text == current?.text } ?? 0
    offer(found)
    self.asked = AskedCompletion(
      head: asked.head, tail: asked.tail, items: found.items, text: text)
  }

  private func offer(_ found: Completion) {
    insert(found)
    completion = found.items.count > 1 ? found : nil
  }

  /// Takes a candidate of the list, which is closed by that; one that is not there changes nothing.
  package func choose(candidate index: Int) {
    guard var current = completion, current.items.indices.contains(index) else { return }
    current.index = index
    insert(current)
    completion = nil
    invalidation.raise()
  }

  /// Closes the list of candidates; the text stays as it is.
  /// - Returns: whether it was open.
  @discardableResult package func endCompletion() -> Bool {
    defer {
      if completion != nil { invalidation.raise() }
      completion = nil
    }
    return completion != nil
  }

  private func insert(_ completion: Completion) {
    let item = completion.items[completion.index]
    let blank = item.isOpen || completion.tail.first?.isWhitespace == true ? "" : " "
    let head = completion.head + item.text + blank
    replaceText(head + completion.tail, cursor: head.utf8.count)
  }
}

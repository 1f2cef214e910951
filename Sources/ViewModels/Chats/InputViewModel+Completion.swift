import NatterCore

// Completing and pasting.
extension InputViewModel {
  /// Completes the word before the cursor, or goes on to the next candidate.
  /// - Returns: whether anything could be completed.
  @discardableResult package func complete(backwards: Bool = false) -> Bool {
    if var current = completion {
      let count = current.items.count
      current.index = (current.index + (backwards ? count - 1 : 1)) % count
      insert(current)
      completion = current
      return true
    }
    let place = text.utf8.index(text.startIndex, offsetBy: min(cursor, text.utf8.count))
    guard
      let found = source.completion(head: String(text[..<place]), tail: String(text[place...]))
    else { return false }
    insert(found)
    completion = found.items.count > 1 ? found : nil
    return true
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

  // MARK: Pasting

  /// Takes pasted text: never keys, never sent.
  /// - Returns: what to insert now; `nil` when it has to be asked about first.
  package func paste(_ pasted: String) -> String? {
    let text = pasted.pastable
    completion = nil
    guard text.lineCount > Self.pasteLineLimit || text.utf8.count > Self.pasteByteLimit else {
      return text
    }
    pendingPaste = text
    invalidation.raise()
    return nil
  }

  /// The question about a large paste, while it stands.
  package var pasteQuestion: String? {
    pendingPaste.map { localizer("input.pasted", ["count": "\($0.lineCount)"]) }
  }

  /// Ends the question.
  /// - Returns: what to insert: the paste, or nothing.
  package func answerPaste(inserts: Bool) -> String {
    defer {
      pendingPaste = nil
      invalidation.raise()
    }
    return inserts ? pendingPaste ?? "" : ""
  }
}

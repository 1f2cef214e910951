import Text
import XMPP

/// A large paste that waits for an answer, and its position.
package struct PendingPaste: Equatable {
  /// As it came, with the line end that a part of it may end with.
  var whole: String
  /// The input before that position, and after it, at the time of the paste.
  let before: String
  let after: String
  /// Indicates whether the user asked to send it, and has not confirmed that yet.
  package internal(set) var isToBeSent = false

  /// The text that is inserted, without the line ends at its end.
  package var text: String { whole.withoutLastLineEnds }

  /// Returns whether its position is still in the current input.
  func fits(into typed: String) -> Bool {
    typed.hasPrefix(before) && typed.hasSuffix(after)
      && typed.utf8.count >= before.utf8.count + after.utf8.count
  }

  /// The current input with the paste at its position, or else at its end.
  func inserted(into typed: String) -> String {
    guard fits(into: typed) else { return typed.isEmpty ? text : typed + "\n" + text }
    return before + text + typed.dropFirst(before.count)
  }
}

// Pastes: never keys, never sent by themselves.
extension InputViewModel {
  /// Takes pasted text.
  /// - Returns: what to insert now; `nil` when it has to be asked about first.
  package func paste(_ pasted: String) -> String? {
    let text = pasted.pastable
    completion = nil
    if var waiting = pendingPaste, !isTypedOn {
      // A terminal that does not mark pastes gives a long one in parts.
      waiting.whole += pasted.pastablePart
      waiting.isToBeSent = false
      pendingPaste = waiting
      invalidation.raise()
      return nil
    }
    guard text.lineCount > Self.pasteLineLimit || text.utf8.count > Self.pasteByteLimit else {
      return text
    }
    answerPaste(inserts: true)
    let position = self.text.utf8.index(
      self.text.startIndex, offsetBy: min(cursor, self.text.utf8.count))
    pendingPaste = PendingPaste(
      whole: pasted.pastablePart, before: String(self.text[..<position]),
      after: String(self.text[position...]))
    invalidation.raise()
    return nil
  }

  /// Indicates whether the user typed on since the question about a paste: letters are no answers.
  package var isTypedOn: Bool {
    pendingPaste.map { $0.before + $0.after != text } ?? false
  }

  /// The question about a large paste, while it is open.
  package var pasteQuestion: String? {
    pendingPaste.map { paste in
      let lines = paste.text.lineCount
      if paste.isToBeSent { return localizer.plural("input.pasteToBeSent", lines) }
      // Of one line it is the length that is asked about.
      return lines == 1
        ? localizer.plural("input.pastedCharacters", paste.text.count)
        : localizer.plural("input.pasted", lines)
    }
  }

  /// Ends the question. The paste goes where the cursor was; what was typed since follows it.
  package func answerPaste(inserts: Bool) {
    guard let paste = pendingPaste else { return }
    pendingPaste = nil
    invalidation.raise()
    guard inserts else { return }
    guard paste.fits(into: text) else { return insert(paste.text) }
    let typed = cursor - paste.before.utf8.count
    (completion, historyIndex) = (nil, nil)
    replaceText(
      paste.inserted(into: text),
      cursor: paste.before.utf8.count + paste.text.utf8.count + max(0, typed))
    onEdit(text)
  }
}

import NatterCore

/// The request of `/notify word list|add WORD|remove WORD`, in the full screen and in line mode.
nonisolated package enum NotifyWordRequest: Hashable, Sendable {
  case list
  case add(String)
  case remove(String)

  /// The operations that completion offers.
  static let operations = ["add", "remove", "list"]

  /// Reads what was typed after `/notify`.
  /// - Returns: `nil` if it is about something else.
  /// - Throws: `NatterError` if the operation is unknown, or its word is missing.
  package init?(typed text: String) throws {
    let call = CommandCall(rest: text)
    guard ["word", "words"].contains(call.split.first.lowercased()) else { return nil }
    let (operation, word) = CommandCall(rest: call.split.rest).split
    switch (operation.lowercased(), word.isEmpty) {
    case ("", _), ("list", true): self = .list
    case ("add", false): self = .add(word)
    case ("remove", false): self = .remove(word)
    default:
      throw NatterError(.invalidInput, "error.badNotifyWord", ["text": call.split.rest])
    }
  }

  /// Changes `words` as the user wants.
  /// - Returns: the notice of the result.
  /// - Throws: `NatterError` if the word is not accepted, or not there; then nothing has changed.
  package func perform(on words: inout NotifyKeywords) throws -> StatusNotice {
    switch self {
    case .list:
      guard !words.isEmpty else { return StatusNotice(.info, "status.notifyWords.none") }
      return StatusNotice(
        .info, "status.notifyWords.list", ["words": words.list.joined(separator: ", ")])
    case .add(let word):
      do { try words.add(word) } catch {
        switch error {
        case .known: return StatusNotice(.info, "status.notifyWords.known", ["word": word])
        case .empty:
          throw NatterError(.invalidInput, "error.notifyWordEmpty")
        case .long:
          throw NatterError(
            .invalidInput, "error.notifyWordLong", ["count": "\(NotifyKeywords.wordLimit)"])
        case .full:
          throw NatterError(
            .invalidInput, "error.notifyWordsFull", ["count": "\(NotifyKeywords.limit)"])
        }
      }
      return StatusNotice(.info, "status.notifyWords.added", ["word": words.list.last ?? word])
    case .remove(let word):
      guard let removed = words.remove(word) else {
        throw NatterError(.invalidInput, "error.notifyWordUnknown", ["word": word])
      }
      return StatusNotice(.info, "status.notifyWords.removed", ["word": removed])
    }
  }
}

import NatterCore
import Text

/// The keywords that notify, as the user changes them in the full screen.
struct NotifyWordTool {
  let shell: ShellViewModel

  /// The most bytes of keywords that the status line shows: a small screen has two rows for them.
  private static let statusLimit = 60

  /// Performs a request after earlier ones: messages are compared with the keywords that are
  /// stored, so the result is shown once it is.
  /// - Throws: `NatterError` if the word is not accepted; then nothing has changed.
  func perform(_ request: NotifyWordRequest) throws {
    var words = shell.people.words
    if request == .list, words.text?.utf8.count ?? 0 > Self.statusLimit { return show(words.list) }
    let notice = try request.perform(on: &words)
    guard words != shell.people.words, let preferences = shell.ports.preferences else {
      return shell.show(notice)
    }
    let line = CommandOrigin.current
    shell.lifetime.inOrder { [weak shell] in
      do {
        let stored = NotifyKeywords(text: try await preferences.values()[NotifyKeywords.key])
        var words = stored
        let notice = try request.perform(on: &words)
        if words != stored { try await preferences.setValue(words.text, for: NotifyKeywords.key) }
        shell?.handle(.notifyKeywordsChanged(words))
        shell?.show(notice)
      } catch {
        shell?.report(error, of: line)
      }
    }
  }

  /// Shows the keywords as a list; Enter begins the command that removes one.
  private func show(_ words: [String]) {
    shell.actions.choose(
      ChoiceRequest(
        title: shell.format.localizer("notifyWords.title"),
        labels: words.map { ErrorText.oneLine($0, limit: NotifyKeywords.wordLimit) }, selected: 0
      ) { [weak shell] in
        if let index = $0 { shell?.input.begin(line: "/notify word remove " + words[index]) }
      })
  }
}

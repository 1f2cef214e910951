import NatterCore
import Text

/// The keywords that notify, as the user changes them in the full screen.
struct NotifyWordTool {
  let shell: ShellViewModel

  /// The most bytes of keywords that the status line shows: a small screen has two rows for them.
  private static let statusLimit = 60

  /// Performs a request: at once on the screen, and in the database after earlier changes.
  /// - Throws: `NatterError` if the word is not accepted; then nothing has changed.
  func perform(_ request: NotifyWordRequest) throws {
    var words = shell.people.words
    if request == .list, words.text?.utf8.count ?? 0 > Self.statusLimit { return show(words.list) }
    let notice = try request.perform(on: &words)
    shell.show(notice)
    guard words != shell.people.words else { return }
    shell.handle(.notifyKeywordsChanged(words))
    guard let preferences = shell.ports.preferences else { return }
    let text = words.text
    shell.lifetime.inOrder { [weak shell] in
      do { try await preferences.setValue(text, for: NotifyKeywords.key) } catch {
        // Messages are compared with what is stored: so that is what the screen has to show.
        let values = try? await preferences.values()
        if let values {
          shell?.handle(.notifyKeywordsChanged(NotifyKeywords(text: values[NotifyKeywords.key])))
        }
        shell?.report(error)
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

import NatterCore

/// The keywords that notify, as the user changes them in the full screen.
struct NotifyWordTool {
  let shell: ShellViewModel

  /// Performs a request: at once on the screen, and in the database after earlier changes.
  /// - Throws: `NatterError` if the word is not accepted; then nothing has changed.
  func perform(_ request: NotifyWordRequest) throws {
    var words = shell.people.words
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
}

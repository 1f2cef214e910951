import FoundationEssentials
import NatterCore
import Text
import XMPP

// Going to a message by its text or its day.
extension ShellViewModel {
  /// Searches the open conversation for a text. The user can then change to all conversations of
  /// this account, or of all accounts, and open a match there.
  /// - Throws: `NatterError` when none is.
  package func searchMessages(_ query: String) throws {
    guard let searching = ports.searching, let jid = activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    let search = MessageSearch(query, in: jid, SearchContext(of: self, searching)) {
      [weak self] id, words in
      guard let self, activeConversation == jid else { return }
      timeline.reveal(id, having: words)
      if timeline.isFocused { timeline.select(id) }
    }
    requests.search = search
    actions.search.show(search)
  }

  /// The same for a key: errors are shown.
  package func beginSearch() {
    do { try searchMessages("") } catch { report(error) }
  }

  /// Goes on with what was looked for last: to an older match (`1`) or a newer one (`-1`).
  package func goOnSearching(_ step: Int) {
    guard let search = requests.search, search.conversation == activeConversation else {
      return beginSearch()
    }
    search.move(step)
    show(StatusNotice(.info, "status.found", ["query": search.query, "place": search.status]))
  }

  /// Goes to the first message of a day, or after it.
  /// - Throws: `NatterError` when `text` is no day, or no conversation is open.
  package func goTo(day text: String) throws {
    guard let visit = DayVisit(self) else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    try visit.go(toDay: text)
  }

  /// Goes to the first message of the open conversation, which may not be stored yet.
  /// - Returns: `false` if nothing is fetched here.
  package func goToFirstMessage() -> Bool {
    guard ports.history != nil, let visit = DayVisit(self) else { return false }
    visit.goToFirst()
    return true
  }
}

extension ItemFormat {
  /// Returns the position before the first message of a day in the user's time zone.
  /// - Throws: `NatterError` when `text` is no day.
  package func position(beforeDay text: String) throws -> MessagePosition {
    guard let day = CalendarDay(parsing: text) else {
      throw NatterError(.invalidInput, "error.badDay", ["text": text])
    }
    return MessagePosition(
      at: beginning(of: day).addingTimeInterval(-0.001), id: Message.ID(.max))
  }
}

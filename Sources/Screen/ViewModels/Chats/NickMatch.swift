import NatterCore

/// Finds an occupant by a typed nick.
nonisolated package enum NickMatch {
  /// Returns the nick that `text` means: the same one, or the only one that differs just in case
  /// and diacritics.
  package static func nick(_ text: String, among nicks: [String]) -> String? {
    if nicks.contains(text) { return text }
    let wanted = SearchForm.of(text)
    let found = nicks.filter { SearchForm.of($0) == wanted }
    return found.count == 1 ? found[0] : nil
  }

  /// Returns the nick that `text` begins with, and the rest. Nicks contain spaces, so the longest
  /// wins.
  package static func leading(_ text: String, among nicks: [String]) -> (
    nick: String, rest: String
  )? {
    func split(_ isSame: (String, Substring) -> Bool) -> [(nick: String, rest: String)] {
      nicks.compactMap { nick in
        let rest = text.dropFirst(nick.count)
        guard rest.first?.isWhitespace ?? true, isSame(nick, text.prefix(nick.count)) else {
          return nil
        }
        return (nick, String(rest.drop(while: \.isWhitespace)))
      }
    }
    if let exact = split({ $0 == $1 }).max(by: { $0.nick.count < $1.nick.count }) { return exact }
    let alike = split { SearchForm.of($0) == SearchForm.of(String($1)) }
    guard let longest = alike.map(\.nick.count).max() else { return nil }
    let found = alike.filter { $0.nick.count == longest }
    return found.count == 1 ? found[0] : nil
  }
}

import NatterCore
import XMPP

/// Finds known addresses by a typed text: a name, a local part, or an address as displayed
/// (XEP-0106).
nonisolated struct NameMatch {
  private let wanted: String
  private let people: People

  init(_ text: String, _ people: People) { (wanted, self.people) = (SearchForm.of(text), people) }

  /// Returns the exact matches, or else those whose name has that prefix.
  func found(among jids: [JID]) -> [JID] {
    let names = jids.map { jid in
      [
        people.name(of: jid), people.shortName(of: jid), jid.local ?? "", jid.shownLocal ?? "",
        jid.shown,
      ].map(SearchForm.of)
    }
    let exact = jids.indices.filter { names[$0].contains(wanted) }
    let found =
      exact.isEmpty
      ? jids.indices.filter { names[$0].contains { $0.hasPrefix(wanted) } } : exact
    return found.map { jids[$0] }
  }

  /// Returns the only address that is displayed like that.
  func address(among jids: some Sequence<JID>) -> JID? {
    let found = Set(jids.filter { SearchForm.of($0.shown) == wanted })
    return found.count == 1 ? found.first : nil
  }
}

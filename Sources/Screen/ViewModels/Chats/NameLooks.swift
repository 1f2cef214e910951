import Text
import XMPP

/// Names by appearance: the number of people and rooms whose name a reader can mistake for a given
/// one.
///
/// It stores hashes instead of skeletons, and counts instead of bearers: tens of thousands of
/// contacts have names.
nonisolated struct NameLooks: Sendable {
  private static let known = Lookalikes()
  private var bearers: [Int: Int32] = [:]

  /// Counts one more bearer of all `names`.
  mutating func add(_ names: [String]) {
    for key in Set(Set(names).map(Self.key)) { bearers[key, default: 0] += 1 }
  }

  /// Reverts `add` with the same names.
  mutating func remove(_ names: [String]) {
    for key in Set(Set(names).map(Self.key)) {
      let left = (bearers[key] ?? 0) - 1
      bearers[key] = left > 0 ? left : nil
    }
  }

  /// True if another bearer has a name that looks like `name`, apart from the bearer of `own`.
  func isTaken(_ name: String, besides own: [String]) -> Bool {
    let key = Self.key(name)
    let count = bearers[key] ?? 0
    return count > 1 || (count == 1 && !own.contains { Self.key($0) == key })
  }

  /// True if a name can be read as an address.
  static func holdsAddress(_ name: String) -> Bool {
    name.unicodeScalars.contains { $0 == "@" || $0 == "\u{FF20}" || $0 == "\u{FE6B}" }
  }

  static func key(_ name: String) -> Int {
    var hasher = Hasher()
    for byte in known.skeleton(ofName: name) { hasher.combine(byte) }
    return hasher.finalize()
  }
}

/// The user's own names on the screen, for comparison with the names of others.
nonisolated package struct OwnNames: Sendable {
  /// The own bare address; `nil` if it is unknown.
  package let account: JID?
  private let keys: Set<Int>

  package init() { self.init(account: nil, keys: []) }

  private init(account: JID?, keys: Set<Int>) { (self.account, self.keys) = (account, keys) }

  package init(_ format: ItemFormat) {
    let names = [
      format.account.shownLocal ?? format.account.domain, format.localizer("timeline.you"),
    ]
    self.init(account: format.account, keys: Set(names.map(NameLooks.key)))
  }

  /// True if `name` looks like one of the user's own names.
  package func looksOwn(_ name: String) -> Bool { keys.contains(NameLooks.key(name)) }

  /// Returns the same with the user's nick in a room.
  package func inRoom(as nick: String?) -> OwnNames {
    guard let nick, !nick.isEmpty else { return self }
    return OwnNames(account: account, keys: keys.union([NameLooks.key(nick)]))
  }

  /// Returns the nick of another occupant, with `address` if the nick looks like the user's own
  /// name.
  package func shown(_ nick: String, at address: JID) -> String {
    let nick = People.nick(nick)
    return looksOwn(nick) ? "\(nick) (\(address.bare.shown))" : nick
  }
}

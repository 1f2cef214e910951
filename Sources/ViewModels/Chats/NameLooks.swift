import XMPP

/// Names by what they look like: how many people and rooms are called so that a reader can take it for a given name.
///
/// Hashes stand for the skeletons, and counts for their bearers: tens of thousands of contacts have names.
nonisolated struct NameLooks: Sendable {
  private static let known = Lookalikes()
  private var bearers: [Int: Int32] = [:]

  /// Counts one more who is called all of `names`.
  mutating func add(_ names: [String]) {
    for key in Set(Set(names).map(Self.key)) { bearers[key, default: 0] += 1 }
  }

  /// Takes back `add` with the same names.
  mutating func remove(_ names: [String]) {
    for key in Set(Set(names).map(Self.key)) {
      let left = (bearers[key] ?? 0) - 1
      bearers[key] = left > 0 ? left : nil
    }
  }

  /// Whether anybody is called what looks like `name`, beside the one who is called `own`.
  func isTaken(_ name: String, besides own: [String]) -> Bool {
    let key = Self.key(name)
    let count = bearers[key] ?? 0
    return count > 1 || (count == 1 && !own.contains { Self.key($0) == key })
  }

  /// Whether a name can be read as an address.
  static func holdsAddress(_ name: String) -> Bool {
    name.unicodeScalars.contains { $0 == "@" || $0 == "\u{FF20}" || $0 == "\u{FE6B}" }
  }

  static func key(_ name: String) -> Int {
    var hasher = Hasher()
    for byte in known.skeleton(ofName: name) { hasher.combine(byte) }
    return hasher.finalize()
  }
}

/// What the user is called on the screen: others' names are compared with it.
nonisolated package struct OwnNames: Sendable {
  /// The own bare address; `nil`: not known.
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

  /// Whether `name` looks like what the user is called everywhere.
  package func looksOwn(_ name: String) -> Bool { keys.contains(NameLooks.key(name)) }

  /// The same for a user who is called `nick` in a room.
  package func inRoom(as nick: String?) -> OwnNames {
    guard let nick, !nick.isEmpty else { return self }
    return OwnNames(account: account, keys: keys.union([NameLooks.key(nick)]))
  }

  /// The nick of another occupant, with `address` beside one that looks like what the user is called.
  package func shown(_ nick: String, at address: JID) -> String {
    let nick = People.nick(nick)
    return looksOwn(nick) ? "\(nick) (\(address.bare.shown))" : nick
  }
}

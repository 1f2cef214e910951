import TestSupport

extension SlixmppPeer {
  /// Waits until `jid` asks to see this one's presence, agrees, and asks back.
  func befriends(_ jid: String) async throws {
    try await event("subscription") { $0.type == "subscribe" && $0.from == jid }
    try await subscription("subscribed", to: jid)
    try await subscription("subscribe", to: jid)
  }
}

extension NatterRun {
  /// Has two people see each other's presence: asked for here, answered by the other one's client.
  /// - Parameter own: whose Natter this is.
  func befriend(_ other: TestAccount, at peer: SlixmppPeer, as own: TestAccount) async throws {
    try await say("/add \(other.jid)")
    try await peer.befriends(own.jid)
    try await peer.event("subscription") { $0.type == "subscribed" && $0.from == own.jid }
    try await lists(other.name, presence: "●")
  }

  /// Has the server of `own` send notifications of the other one's publications: the built-in
  /// server notifies only contacts, by the features of their clients (XEP-0163 §4.3); the others
  /// also notify strangers who subscribe (XEP-0060 §6.1).
  func hears(
    _ other: TestAccount, at peer: SlixmppPeer, as own: TestAccount, on kind: ServerKind
  ) async throws {
    if kind == .builtIn { try await befriend(other, at: peer, as: own) }
  }

  /// Opens a page of Discover, wherever that was left.
  func opens(discoverPage page: String) async throws {
    terminal.press(.f4)
    try await marks(discoverPage: page)
  }

  /// Publications of a user that can be followed.
  enum Publication: String {
    case feed, calendar

    fileprivate var promise: String {
      switch self {
      case .feed: "New posts arrive by themselves"
      case .calendar: "New events arrive by themselves"
      }
    }
  }

  /// Asks to follow what `jid` publishes, from its page of Discover, and returns when that is on
  /// its way.
  func follow(_ publication: Publication, of jid: String) async throws {
    terminal.type("a")
    let entry = "Follow a \(publication.rawValue)"
    try await shows(entry)
    try await choose(entry)
    try await shows(publication.promise)
    terminal.type(jid)
    try await shows(jid)
    terminal.press(.enter)
    try await hides(publication.promise)
  }
}

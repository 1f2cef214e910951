import XMPP

/// The state that belongs to one session: it is made when the session has a channel, and dropped
/// when the session ends. A resumption keeps it.
struct RoomSession: Sendable {
  private(set) var channel: any StanzaChannel
  private(set) var bookmarks: ServerBookmarks
  /// `true` once the rooms of the previous session were joined.
  private(set) var hasStarted = false
  /// The rooms that the user joined before that.
  var early: Set<JID> = []
  /// The occupant JIDs left while offline: a session that is resumed still has them.
  var farewells: Set<JID> = []
  /// `true` once the bookmarks were read.
  var hasFetchedBookmarks = false
  /// The rooms with changes that were not read yet. Joining a room reads its information anyway.
  var changed: Set<JID> = []
  /// The requests to rooms that were sent as messages.
  var requests = PendingRoomRequests()

  init(account: JID, channel: any StanzaChannel) {
    self.channel = channel
    bookmarks = ServerBookmarks(account: account, channel: channel)
  }

  /// Changes to the channel of a resumed session. Callers that wait for the bookmarks wait on.
  mutating func resume(account: JID, over channel: any StanzaChannel) {
    self.channel = channel
    bookmarks = ServerBookmarks(account: account, channel: channel, reading: bookmarks.reading)
  }

  /// Forgets the occupants of a room that is entered again.
  mutating func forgetFarewells(to room: JID) { farewells = farewells.filter { $0.bare != room } }

  /// Records that the rooms are being joined: what was left before belongs to an earlier session.
  mutating func start() { (hasStarted, farewells) = (true, []) }
}

import NatterCore

/// The known history of a room: from before it was entered, and as the room sends it.
struct KnownHistory: Sendable {
  /// `true` if messages of the room were known before it was entered.
  var isKnown = false
  /// The archive id of the newest of them.
  var newestID: String?
  /// The history that the room has sent since it was entered.
  private(set) var sent: JoinHistory?

  /// Records that the room is being entered, and has sent nothing yet.
  mutating func begin() { sent = nil }

  /// Extends the stretch that the room has sent: its messages arrive in order, and without gaps.
  mutating func add(_ id: String) {
    if sent == nil { sent = JoinHistory(first: id, last: id) }
    sent?.last = id
    if id == newestID { sent?.known = id }
  }
}

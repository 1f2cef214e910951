import NatterCore

extension RoomState {
  /// The room as readers of its messages see it; `nil` while the user is outside.
  var membership: RoomMembership? {
    room.phase == .outside
      ? nil
      : RoomMembership(
        nick: room.nick, occupantID: occupantID, hasPast: history.isKnown,
        visit: hasSettled ? attempt : nil, present: present, sent: hasSettled ? history.sent : nil)
  }
}

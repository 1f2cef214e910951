import NatterCore

extension RoomState {
  /// What the room is to readers of its messages; `nil` while the user is outside.
  var membership: RoomMembership? {
    room.phase == .outside
      ? nil
      : RoomMembership(
        nick: room.nick, occupantID: occupantID, hasPast: hasPast,
        visit: hasSettled ? attempt : nil, present: present, sent: hasSettled ? past : nil)
  }
}

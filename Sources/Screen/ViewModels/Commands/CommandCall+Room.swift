extension CommandCall {
  /// A request to join a room, in its written form: `ROOM [NICK [PASSWORD]]`.
  nonisolated package struct JoinRequest: Hashable, Sendable {
    /// The room's address or name; empty if there is none.
    package let room: String
    /// The nick; `nil` for the default one.
    package let nick: String?
    package let password: String?
  }

  /// The arguments of `/join`. A nick with spaces is in quotes; the password is all of the rest.
  nonisolated package var joinRequest: JoinRequest {
    let (room, rest) = split
    var (nick, password) = CommandCall(rest: rest).split
    if rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") {
      let behind = rest[rest.index(after: end)...]
      // A quotation mark inside a word is part of it.
      if behind.first?.isWhitespace ?? true {
        nick = String(rest[rest.index(after: rest.startIndex)..<end])
        password = String(behind.drop(while: \.isWhitespace))
      }
    }
    return JoinRequest(
      room: room, nick: nick.isEmpty ? nil : nick, password: password.isEmpty ? nil : password)
  }
}

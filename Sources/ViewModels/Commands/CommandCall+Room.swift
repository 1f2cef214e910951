extension CommandCall {
  /// A room that somebody wants to enter, as it is written: `ROOM [NICK [PASSWORD]]`.
  nonisolated package struct JoinRequest: Hashable, Sendable {
    /// Its address or name; empty where nothing was written.
    package let room: String
    /// `nil`: the usual one.
    package let nick: String?
    package let password: String?
  }

  /// What is written behind `/join`. A nick with blanks in it stands in quotes; the password is all that comes after it.
  nonisolated package var roomWish: JoinRequest {
    let (room, rest) = split
    var (nick, password) = CommandCall(rest: rest).split
    if rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") {
      let behind = rest[rest.index(after: end)...]
      // A quote in the middle of a word is a part of it.
      if behind.first?.isWhitespace ?? true {
        nick = String(rest[rest.index(after: rest.startIndex)..<end])
        password = String(behind.drop(while: \.isWhitespace))
      }
    }
    return JoinRequest(
      room: room, nick: nick.isEmpty ? nil : nick, password: password.isEmpty ? nil : password)
  }
}

/// What it takes to go on with a session whose connection broke (XEP-0198 §5).
package struct StreamResumption: Hashable, Sendable {
  /// The server's name for the session (`<enabled id/>`).
  package let id: String
  package let session: Session
  /// Stanzas of the server's that the consumers are done with, modulo 2^32.
  package let handled: UInt32
  /// Stanzas sent, modulo 2^32.
  package let sent: UInt32
  /// Those of them that the server has not acknowledged, oldest first.
  package let unacknowledged: [Element]
  /// Where the server wants the session resumed, `HOST` or `HOST:PORT`; `nil`: anywhere.
  package let location: String?
  /// Whether the program that began it was ended since.
  package let isFromEarlierRun: Bool

  package init(
    id: String, session: Session, handled: UInt32, sent: UInt32, unacknowledged: [Element],
    location: String? = nil, isFromEarlierRun: Bool = false
  ) {
    self.location = location
    self.isFromEarlierRun = isFromEarlierRun
    self.id = id
    self.session = session
    self.handled = handled
    self.sent = sent
    self.unacknowledged = unacknowledged
  }

  /// The same for consumers that begin anew in it, as those of another run of the program do: what they send once more, or
  /// nobody waits for any more, is only counted.
  package var leavingWhatBeginsAnew: StreamResumption {
    StreamResumption(
      id: id, session: session, handled: handled, sent: sent,
      unacknowledged: unacknowledged.map {
        $0.survivesItsProgram ? $0 : .counted(id: $0["id"])
      }, location: location)
  }

  /// What the server's `h` says about the stanzas that were under way.
  /// - Returns: the ids of those that it has, and the stanzas that it does not have.
  /// - Throws: `StreamManagement.TooHigh`.
  func settled(by h: UInt32) throws(StreamManagement.TooHigh) -> (
    acknowledged: [String], open: ArraySlice<Element>
  ) {
    var management = StreamManagement(
      handled: handled, sent: sent, unacknowledged: unacknowledged.map { $0["id"] })
    let acknowledged = try management.acknowledge(h)
    return (acknowledged, unacknowledged.suffix(management.unacknowledged.count))
  }
}

/// What negotiation came to.
struct NegotiatedSession: Sendable {
  enum Origin: Hashable, Sendable {
    case new
    /// The old one goes on; the server has this many of the stanzas sent in it.
    case resumed(h: UInt32)
    /// The old one is gone, but the server says how much of it it had.
    case replaced(h: UInt32)
  }

  let session: Session
  /// By which it can be resumed; `nil`: it cannot.
  let resumptionID: String?
  /// Where the server wants it resumed.
  var location: String?
  let origin: Origin
  let authentication: Authentication
  /// What became of the token to come back with (XEP-0484).
  var tokenNews: TokenUpdate?
}

/// How a session was authenticated.
struct Authentication: Hashable, Sendable {
  /// The mechanism's name.
  let mechanism: String
  /// How it was signed in to with a password; `nil`: with a token.
  let proof: SignInProof?
}

/// What a server did about the token to come back with (XEP-0484).
package enum TokenUpdate: Hashable, Sendable {
  /// It gave one; it replaces what there was.
  case given(XEP0484Token)
  /// It does not take the one there was.
  case refused
}

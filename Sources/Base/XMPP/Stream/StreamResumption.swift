import XML

/// The state that is needed to resume a session whose connection broke (XEP-0198 §5).
package struct StreamResumption: Hashable, Sendable {
  /// The server's id of the session (`<enabled id/>`).
  package let id: String
  package let session: Session
  /// The number of the server's stanzas that the consumers are done with, modulo 2^32.
  package let handled: UInt32
  /// The number of stanzas sent, modulo 2^32.
  package let sent: UInt32
  /// The sent stanzas that the server has not acknowledged, oldest first.
  package let unacknowledged: [Element]
  /// The host where the server wants the session resumed, `HOST` or `HOST:PORT`; `nil`: any.
  package let location: String?
  /// Indicates whether the program that began it has ended since.
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

  /// The same session for consumers that start over in it, as those of another run of the program
  /// do: stanzas that they send again, or whose response no task awaits, are only counted.
  package var leavingWhatBeginsAnew: StreamResumption {
    StreamResumption(
      id: id, session: session, handled: handled, sent: sent,
      unacknowledged: unacknowledged.map {
        $0.survivesItsProgram ? $0 : .counted(id: $0["id"])
      }, location: location)
  }

  /// Applies the server's `h` to the unacknowledged stanzas.
  /// - Returns: The ids of those that the server has, and the stanzas that it does not have.
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

/// The result of a negotiation.
struct NegotiatedSession: Sendable {
  enum Origin: Hashable, Sendable {
    case new
    /// The old session continues; the server has this many of the stanzas sent in it.
    case resumed(h: UInt32)
    /// The old session is gone, but the server reports how many of its stanzas it had.
    case replaced(h: UInt32)

    /// Reads the server's refusal to resume the old session; `nil`: the server did not answer.
    ///
    /// The count is optional (XEP-0198 §5). One that cannot be read acknowledges nothing, like that
    /// of an `<a/>`: the session does not depend on it, other than on that of a `<resumed/>`, and
    /// stanzas that are not acknowledged are looked for in the archive before they are sent again.
    init(failed: Element?) {
      guard let h = failed?["h"].flatMap({ UInt32($0) }) else {
        self = .new
        return
      }
      self = .replaced(h: h)
    }
  }

  let session: Session
  /// The id for resuming it; `nil` when it cannot be resumed.
  let resumptionID: String?
  /// The host where the server wants it resumed.
  var location: String?
  let origin: Origin
  let authentication: Authentication
  /// The change of the token for the next sign-in (XEP-0484), if any.
  var tokenNews: TokenUpdate?
}

/// The method by which a session was authenticated.
struct Authentication: Hashable, Sendable {
  /// The mechanism's name.
  let mechanism: String
  /// The proof of the sign-in with a password; `nil` for a token.
  let proof: SignInProof?
}

/// A server's change of the token for the next sign-in (XEP-0484).
package enum TokenUpdate: Hashable, Sendable {
  /// The server gave a token, which replaces the previous one.
  case given(XEP0484Token)
  /// The server rejects the previous token.
  case refused
}

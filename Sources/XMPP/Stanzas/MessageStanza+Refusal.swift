extension MessageStanza {
  /// Why the recipient does not get the message that this is the answer to; `nil` when it says nothing of the kind.
  package var refusal: StanzaError? {
    guard kind == .error, let error, !isAboutOneDevice(error), !isAboutOfflineStore(error) else {
      return nil
    }
    return error
  }

  /// Prosody says `recipient-unavailable` for a message that one dead device of the recipient had not acknowledged,
  /// though others have it.
  private func isAboutOneDevice(_ error: StanzaError) -> Bool {
    error.condition == .recipientUnavailable
  }

  /// ejabberd says `resource-constraint` when it stores no more for somebody who is away, though he finds the message in his
  /// archive: then it comes back with the id that it has there. A room that is busy gives none.
  private func isAboutOfflineStore(_ error: StanzaError) -> Bool {
    guard error.condition == .resourceConstraint, let from, from.isBare else { return false }
    return stanzaID(by: from) != nil
  }
}

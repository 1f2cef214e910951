extension MessageStanza {
  /// The reason why the recipient does not get the message that this error answers; `nil` for any
  /// other message, and for errors that do not mean that the message is lost.
  package var refusal: StanzaError? {
    guard kind == .error, let error, !isAboutOneDevice(error), !isAboutOfflineStore(error) else {
      return nil
    }
    return error
  }

  /// Prosody sends `recipient-unavailable` for a message that one dead device of the recipient did
  /// not acknowledge, although other devices have it.
  private func isAboutOneDevice(_ error: StanzaError) -> Bool {
    error.condition == .recipientUnavailable
  }

  /// ejabberd sends `resource-constraint` when it stores no more messages for an offline recipient,
  /// although the recipient finds the message in their archive: in that case it comes back with the
  /// id that it has in the archive. A busy room gives no such id.
  private func isAboutOfflineStore(_ error: StanzaError) -> Bool {
    guard error.condition == .resourceConstraint, let from, from.isBare else { return false }
    return stanzaID(by: from) != nil
  }
}

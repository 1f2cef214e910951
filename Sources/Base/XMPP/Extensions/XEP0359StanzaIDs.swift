import XML

extension MessageStanza {
  /// The id that its sender gave it (XEP-0359 §3.2). An empty id identifies nothing: all messages
  /// with it would be taken for one.
  package var originID: String? {
    element.first("origin-id", Namespace.stanzaIDs)?["id"]?.nonEmpty?.identifier
  }

  /// Returns the id that `owner` gave it (XEP-0359 §3.1). Any entity can write such an element: the
  /// caller names the trusted owner, which is the own account or the room.
  ///
  /// It does not matter here whether the owner announces that it strips forged ids
  /// (`urn:xmpp:sid:0`): stored messages arrive before the answer to a disco query could, and a
  /// message whose id was ignored until then would come a second time from the archive. An entity
  /// with an archive has to strip them anyway (XEP-0313). Without an archive, an id is not a
  /// position, and a forged id hides only the message that carries it.
  ///
  /// Of two ids by the same owner, at least one is forged, and it is unknown which: then the result
  /// is `nil`.
  package func stanzaID(by owner: JID) -> String? {
    let ids = element.all("stanza-id", Namespace.stanzaIDs).filter {
      $0.address("by") == .address(owner)
    }
    guard ids.count == 1, let id = ids[0]["id"], !id.isEmpty else { return nil }
    return id.identifier
  }
}

extension MessageStanza {
  /// The id its sender gave it (XEP-0359 §3.2).
  package var originID: String? {
    element.first("origin-id", Namespace.stanzaIDs)?["id"]
  }

  /// The id that `owner` gave it (XEP-0359 §3.1). Anybody can write such an element: the caller says whose counts, which is
  /// the own account's or the room's.
  ///
  /// Whether that announces to strip forged ones (`urn:xmpp:sid:0`) is not asked: what a server has kept comes before any
  /// answer could, and a message whose id was passed over until then would come a second time from the archive. Who has an
  /// archive has to strip them anyway (XEP-0313); where there is none, an id is no place, and a forged one hides nothing
  /// but its own message.
  ///
  /// Of two by the same owner one is forged, and nobody knows which: then there is none.
  package func stanzaID(by owner: JID) -> String? {
    let ids = element.all("stanza-id", Namespace.stanzaIDs).filter {
      $0.address("by") == .address(owner)
    }
    guard ids.count == 1, let id = ids[0]["id"], !id.isEmpty else { return nil }
    return id
  }
}

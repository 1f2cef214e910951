extension MessageStanza {
  /// The id its sender gave it (XEP-0359 §3.2).
  package var originID: String? {
    element.first("origin-id", Namespace.stanzaIDs)?["id"]
  }

  /// The id that `owner` gave it (XEP-0359 §3.1). Anybody can write such an element: the caller says whose counts,
  /// which is the own account's or the room's, and only where that announces to strip forged ones.
  ///
  /// Of two by the same owner one is forged, and nobody knows which: then there is none.
  package func stanzaID(by owner: JID) -> String? {
    let ids = element.all("stanza-id", Namespace.stanzaIDs).filter {
      $0["by"].flatMap { JID(parsing: $0) } == owner
    }
    guard ids.count == 1, let id = ids[0]["id"], !id.isEmpty else { return nil }
    return id
  }
}

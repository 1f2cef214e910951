extension MessageStanza {
  /// The id its sender gave it (XEP-0359 §3.2).
  package var originID: String? {
    element.first("origin-id", Namespace.stanzaIDs)?["id"]
  }

  /// The id that `owner` gave it (XEP-0359 §3.1). Anybody can write such an element: the caller says whose counts,
  /// which is the own account's or the room's, and only where that announces to strip forged ones.
  package func stanzaID(by owner: JID) -> String? {
    element.all("stanza-id", Namespace.stanzaIDs).first {
      $0["by"].flatMap { JID(parsing: $0) } == owner
    }?["id"]
  }
}

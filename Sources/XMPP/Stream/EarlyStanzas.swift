/// What came while a session was set up, and is not of its setting up.
struct EarlyStanzas {
  let stanzas: [Stanza]
  /// Stanzas of which nobody knows whose they are.
  let dropped: Int

  init(_ elements: [Element]) {
    stanzas = elements.compactMap { Stanza($0) }
    dropped = elements.count { Stanza.isStanza($0) } - stanzas.count
  }
}

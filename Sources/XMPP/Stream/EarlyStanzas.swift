/// The stanzas that arrived while a session was set up and are not part of the negotiation.
struct EarlyStanzas {
  let stanzas: [Stanza]
  /// The number of stanzas whose sender cannot be read.
  let dropped: Int

  init(_ elements: [Element]) {
    stanzas = elements.compactMap { Stanza($0) }
    dropped = elements.count { Stanza.isStanza($0) } - stanzas.count
  }
}

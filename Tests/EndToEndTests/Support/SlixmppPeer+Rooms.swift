import TestSupport

/// Rooms, as a client that others wrote makes and enters them (XEP-0045).
extension SlixmppPeer {
  /// Enters a room, and waits until it is in.
  func enter(_ room: String, as nick: String) async throws {
    try await send(
      xml: "<presence to='\(room)/\(nick)'><x xmlns='http://jabber.org/protocol/muc'/></presence>")
    try await event("presence") { $0.from == "\(room)/\(nick)" }
  }

  /// Lets others into a room that it has made by entering it: with the settings that the server
  /// gives (§10.1.2).
  func open(_ room: String) async throws {
    try await send(
      xml: """
        <iq type='set' to='\(room)' id='open'><query xmlns='http://jabber.org/protocol/muc#owner'>\
        <x xmlns='jabber:x:data' type='submit'/></query></iq>
        """)
  }
}

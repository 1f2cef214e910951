import XMPP

/// The requests that line mode has printed, and that have no answer yet: each is printed once.
struct PlainRequests {
  /// Those who want to see when the user is online.
  var contacts: Set<JID> = []
  /// The rooms to which the user is invited.
  var rooms: Set<JID> = []
}

import NatterCore
import XML
import XMPP

/// The user's presence in rooms. A changed one goes to subscribers only: the client sends it to
/// rooms itself (XEP-0045 §7.7).
final class RoomPresence {
  private let registry: RoomRegistry
  /// The presence of the account.
  var own = OwnPresence()

  init(registry: RoomRegistry) { self.registry = registry }

  /// Sends the presence to each joined room that has another one.
  func send() async {
    guard let channel = registry.channel, own.availability != .offline else { return }
    for (jid, state) in registry.rooms
    where state.room.phase == .inside && state.sent?.looks(like: own) != true {
      let said = own
      let presence = Element(
        "presence", Namespace.client, ["to": state.room.occupant.description], said.elements)
      // Without a connection it is sent when the session resumes, or with the next join.
      do { try await channel.send(presence) } catch { return }
      if registry.rooms[jid]?.attempt == state.attempt { registry.rooms[jid]?.sent = said }
    }
  }

  /// Leaves by the occupant JID. Offline the user is outside already, unless the session resumes.
  func leave(_ occupant: JID) async {
    registry.session?.farewells.remove(occupant)
    guard let channel = registry.channel else { return }
    do {
      try await channel.send(
        Element("presence", Namespace.client, ["type": "unavailable", "to": occupant.description]))
    } catch {
      guard registry.rooms[occupant.bare]?.room.phase == .outside else { return }
      registry.session?.farewells.insert(occupant)
    }
  }
}

extension OwnPresence {
  /// Returns `true` if a room would see no difference: it has no use for the priority.
  func looks(like other: OwnPresence) -> Bool {
    availability == other.availability && status == other.status
  }
}

import Diagnostics
import NatterCore
import XML
import XMPP

/// Reads the information of rooms: their kind, their name and their picture (XEP-0045 §6.4).
final class RoomInformation {
  private let registry: RoomRegistry

  init(registry: RoomRegistry) { self.registry = registry }

  /// Takes over the information in a room's answer, if it has any.
  func learn(from answer: Element, of jid: JID) async {
    if let found = XEP0030Discovery(answer: answer) {
      await learn(found, of: jid)
    }
  }

  private func learn(_ found: XEP0030Discovery, of jid: JID) async {
    let traits = Room.Trait.read(found)
    let name = found.identities.first { $0.category == "conference" }?.name
      .flatMap { $0.isEmpty || $0 == jid.local ? nil : $0.beginning(bytes: RoomState.nameBytes) }
    let shown = registry.rooms[jid]?.bookmark.name ?? name
    registry.rooms[jid]?.update {
      $0.traits = traits
      $0.name = shown
    }
    let isNews = XEP0045Card(found).map { registry.rooms[jid]?.take($0) == true } ?? false
    registry.publishChanges()
    if isNews { await registry.save(jid) }
    await learnConversation(of: jid, name: registry.rooms[jid]?.room.name)
  }

  /// Updates a room's conversation. A hidden one comes back with a message, or when it is opened.
  func learnConversation(of jid: JID, name: String?) async {
    do {
      guard let conversation = try await registry.store.learnConversation(of: jid, name: name)
      else { return }
      registry.hub.publish(.conversationsChanged([conversation]))
    } catch {
      registry.log.error("storing a room's name failed: \(error)")
    }
  }

  /// Records that the room has changed, and has it asked. The answer comes by the way that the
  /// change came: reading must not wait for it.
  func changed(_ room: JID) {
    guard registry.rooms[room]?.room.phase == .inside else { return }
    registry.session?.changed.insert(room)
    registry.schedule(.refresh(room))
  }

  /// Learns anew what the room is: its name or its kind may have changed (XEP-0045 §10.2.1).
  func refresh(_ room: JID) async {
    guard let channel = registry.channel, registry.session?.changed.remove(room) != nil else {
      return
    }
    do {
      await learn(from: try await channel.request(XEP0030Discovery.question(to: room)), of: room)
    } catch {
      registry.log.info("what a room is now could not be asked: \(error)")
      if error is ChannelError, registry.rooms[room]?.room.phase == .inside {
        registry.session?.changed.insert(room)
      }
    }
  }
}

import Diagnostics
import NatterCore
import XML
import XMPP

/// Reads the information of rooms: their kind, their name and their picture (XEP-0045 §6.4).
final class RoomInformation {
  /// The information that a room also announces by itself.
  private enum Part: Hashable, Sendable { case picture }

  private let registry: RoomRegistry
  private var reads = OpenReads<JID, Part>()

  init(registry: RoomRegistry) { self.registry = registry }

  /// Asks a room what it is, and takes over the information in its answer.
  /// - Parameters:
  ///   - isWanted: whether the answer is still of use when it comes.
  ///   - ask: sends the question.
  /// - Throws: the errors of `ask`.
  func read(
    _ jid: JID, while isWanted: () -> Bool = { true }, _ ask: (Element) async throws -> Element
  ) async throws {
    let read = reads.begin(jid)
    defer { reads.end(read) }
    let answer = try await ask(XEP0030Discovery.question(to: jid))
    guard isWanted(), let found = XEP0030Discovery(answer: answer) else { return }
    await learn(found, of: jid, hasPicture: reads.changes(during: read).accept(.picture))
  }

  /// Applies the picture in a presence of the room itself.
  /// - Returns: `true` if stored fields of the bookmark have changed.
  func take(_ presence: PresenceStanza, of jid: JID) -> Bool {
    guard let isNews = registry.rooms[jid]?.takePicture(presence) else { return false }
    reads.note([.picture], of: jid)
    return isNews
  }

  /// - Parameter hasPicture: `false` if a newer picture was announced since the question.
  private func learn(_ found: XEP0030Discovery, of jid: JID, hasPicture: Bool) async {
    let traits = Room.Trait.read(found)
    let name = found.identities.first { $0.category == "conference" }?.name
      .flatMap { $0.isEmpty || $0 == jid.local ? nil : $0.beginning(bytes: RoomState.nameBytes) }
    let shown = registry.rooms[jid]?.bookmark.name ?? name
    registry.rooms[jid]?.update {
      $0.traits = traits
      $0.name = shown
    }
    let isNews =
      XEP0045Card(found).map { registry.rooms[jid]?.take($0, hasPicture: hasPicture) == true }
      ?? false
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
      try await read(room) { try await channel.request($0) }
    } catch {
      registry.log.info("what a room is now could not be asked: \(error)")
      if error is ChannelError, registry.rooms[room]?.room.phase == .inside {
        registry.session?.changed.insert(room)
      }
    }
  }
}

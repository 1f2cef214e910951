import Diagnostics
import NatterCore
import XML
import XMPP

/// The members of rooms in the database, and the rooms that the account owns, also former ones.
final class RoomMembers {
  private let registry: RoomRegistry

  init(registry: RoomRegistry) { self.registry = registry }

  /// Returns whether the account owned the room when it was last seen.
  ///
  /// A room that another owner or client destroyed while this client was offline looks like a room
  /// that its server has lost: it is created anew.
  func isOwner(of jid: JID) async -> Bool {
    if registry.rooms[jid]?.room.affiliation == .owner { return true }
    do {
      return try await registry.store.members(of: jid).contains {
        $0.jid.bare == registry.account && $0.affiliation == .owner
      }
    } catch {
      registry.log.error("reading who owns a room failed: \(error)")
      return false
    }
  }

  /// Stores whether the account owns the room: should its server lose it, such a room is made anew.
  func storeOwnership(of jid: JID, _ isOwner: Bool) async {
    do {
      try await registry.store.setOwnership(of: jid, by: registry.account, isOwner)
    } catch {
      registry.log.error("storing who owns a room failed: \(error)")
    }
  }

  /// Reads the members of the room, as far as it reveals them.
  func fetch(of room: JID, over channel: any StanzaChannel) async throws {
    guard var members = try await lists(of: room, over: channel) else { return }
    // A member whose affiliation changes between two of the lists can be in none of them.
    let known = Set(try await registry.store.members(of: room).map(\.jid.bare))
    if !known.isSubset(of: members.map(\.jid.bare)) {
      guard let again = try await lists(of: room, over: channel) else { return }
      members = again
    }
    try await registry.store.replaceMembers(of: room, with: members)
  }

  /// Returns the owners, the administrators and the members of the room, in this order; `nil` if it
  /// does not reveal all of them.
  private func lists(
    of room: JID, over channel: any StanzaChannel
  ) async throws -> [RoomMember]? {
    var members: [RoomMember] = []
    for affiliation in [Occupant.Affiliation.owner, .admin, .member] {
      let answer: Element
      do {
        answer = try await channel.request(
          XEP0045.administration(
            "get", room: room, [XEP0045.item(affiliation: affiliation.rawValue)]))
      } catch is StanzaError {
        // Most rooms reveal it only to some (XEP-0045 §9.5): what was known stays.
        return nil
      }
      members += (answer.first("query", XEP0045.admin)?.all("item", XEP0045.admin) ?? [])
        .map { XEP0045Item($0) }
        .compactMap { item in
          item.jid.map { RoomMember(jid: $0, affiliation: affiliation, nick: item.nick) }
        }
    }
    return members
  }
}

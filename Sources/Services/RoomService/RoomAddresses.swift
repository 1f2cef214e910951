import Diagnostics
import NatterCore
import XML
import XMPP

/// Recognizes the addresses of rooms, and chooses that of a new room.
final class RoomAddresses {
  /// The most components of the own server that are queried.
  private static let partLimit = 100

  private let registry: RoomRegistry
  /// Knows which addresses are contacts; `nil`: none is known.
  private let contacts: AddressBook?
  /// The component of the own server that has the rooms, once it was asked for.
  private var service: JID?

  init(registry: RoomRegistry, contacts: AddressBook?) {
    self.registry = registry
    self.contacts = contacts
  }

  private var inquiry: AddressInquiry { AddressInquiry(channel: registry.channel) }

  /// Refuses to join a contact: the conversation would become a room's for good, and no reply would
  /// come. The server is asked in doubt.
  /// - Throws: `NatterError` when `jid` is a user's.
  func refusePerson(_ jid: JID) async throws {
    guard registry.rooms[jid] == nil, let owner = try await contacts?.owner(of: jid) else { return }
    if owner == .room || owner == .unknown && hasRoom(at: jid.domain) { return }
    let kind = await inquiry.kind(of: jid)
    guard owner == .person ? kind != .room : kind == .person else { return }
    throw NatterError(.invalidInput, "error.room.isPerson", ["address": jid.description])
  }

  /// Returns `true` if `address` is a room by the answer of its service (XEP-0030 §3.1).
  func isAnnouncedRoom(_ address: JID) async -> Bool { await inquiry.kind(of: address) == .room }

  /// Returns `true` if one of the account's rooms is at `domain`, or new ones are made there.
  private func hasRoom(at domain: String) -> Bool {
    service?.domain == domain || registry.rooms.keys.contains { $0.domain == domain }
  }

  /// Returns `true` if `address`, which is no known room, is at a service of such a room.
  func isAtRoomService(_ address: JID) async -> Bool {
    guard hasRoom(at: address.domain) else { return false }
    // People of a gateway have addresses beside its rooms.
    do { return try await contacts?.owner(of: address.bare) != .person } catch {
      registry.log.warning("looking for the owner of an address failed: \(error)")
      return true
    }
  }

  /// Returns `true` if a bare address is the account's own or a contact's.
  func isPerson(_ address: JID) async -> Bool {
    if address == registry.account { return true }
    do { return try await contacts?.isContact(address) ?? false } catch {
      registry.log.warning("looking for a contact failed: \(error)")
      return false
    }
  }

  /// The address of the known room of that name, or of a new one at the own server.
  func address(ofRoom name: String) async throws -> JID {
    let wanted = name.hasPrefix("#") ? String(name.dropFirst()) : name
    if let known = registry.rooms.values.first(where: {
      $0.room.name == wanted || $0.room.jid.local == wanted.lowercased()
    }) {
      return known.room.jid
    }
    guard let service = try await findService(),
      let jid = JID(parsing: "\(wanted)@\(service.description)"), jid.isBare
    else {
      throw NatterError(.refused, "error.room.noService", ["name": name])
    }
    return jid
  }

  /// Looks for the component of the own server that has the rooms (XEP-0030 §4).
  private func findService() async throws -> JID? {
    if let service { return service }
    let list = try await registry.ask(
      XEP0030Item.question(to: JID(local: nil, domain: registry.account.domain)))
    for part in XEP0030Item.items(answer: list).prefix(Self.partLimit) {
      guard await inquiry.hasRooms(part.jid) else { continue }
      service = part.jid
      return part.jid
    }
    return nil
  }
}

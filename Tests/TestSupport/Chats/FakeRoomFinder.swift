import Foundation
import NatterCore
import XMPP

/// Public rooms in memory, with a record of what was asked.
package actor FakeRoomFinder: PublicRoomFinding {
  package var current: RoomListing
  package private(set) var calls: [String] = []
  private var previews: [JID: RoomPreview] = [:]
  private var failure: NatterError?

  package init(_ listing: RoomListing = RoomListing()) { current = listing }

  package func set(_ listing: RoomListing) { current = listing }
  package func set(_ preview: RoomPreview) { previews[preview.room.jid] = preview }
  /// Has every later call but `listing` throw `error`, or work again.
  package func fail(with error: NatterError?) { failure = error }

  private func called(_ parts: String...) throws {
    calls.append(parts.joined(separator: " "))
    if let failure { throw failure }
  }

  package func listing() -> RoomListing { current }
  package func refresh() throws { try called("refresh") }
  package func add(_ service: JID) throws -> RoomDirectory? {
    try called("add", service.description)
    return RoomDirectory(jid: service, isAdded: true)
  }
  package func remove(_ service: JID) throws { try called("remove", service.description) }
  package func search(for text: String) throws { try called("search", text) }
  package func preview(of room: JID) throws -> RoomPreview {
    try called("preview", room.description)
    guard let preview = previews[room] else {
      throw NatterError(.refused, "error.discover.noRoom", ["address": room.description])
    }
    return preview
  }
}

extension RoomListing {
  /// The rooms of the wireframe of Discover.
  package static func wireframe(readAt: Date?) -> RoomListing {
    let service = JID(local: nil, domain: "rooms.example.org")
    func room(
      _ local: String, _ people: Int?, _ language: String?, _ topic: String,
      _ traits: Set<Room.Trait> = [], name: String = ""
    ) -> PublicRoom {
      PublicRoom(
        jid: JID(local: local, domain: "rooms.example.org"), directory: service, name: name,
        topic: topic, people: people, language: language, traits: traits,
        isDescribed: people != nil)
    }
    return RoomListing(
      directories: [RoomDirectory(jid: service, name: "Rooms", readAt: readAt)],
      rooms: [
        room("embedded-swift", 9, "en", "Microcontrollers"),
        room("natter-dev", 128, "en", "Development of Natter, a terminal chat desktop", [.archive]),
        room("swift-zh", 51, "zh", "Swift 中文讨论", name: "Swift 中文"),
        room("swift-fr", 64, "fr", "Le salon francophone autour de Swift", [.membersOnly]),
        room("swiftui", 22, "en", "User interfaces", [.passwordProtected, .moderated]),
        room("quiet", nil, nil, ""),
      ])
  }
}

import NatterCore
import XMPP

/// The notification rules of rooms, kept in the bookmark for all clients of the account (XEP-0492).
final class RoomNotificationSettings {
  private let registry: RoomRegistry
  private let publisher: BookmarkPublisher
  /// The rules of the bookmarks.
  private var settings: [JID: XEP0492Notification] = [:]
  /// The rooms whose rules are on their way to the server.
  private var publishing: Set<JID> = []

  init(registry: RoomRegistry, publisher: BookmarkPublisher) {
    self.registry = registry
    self.publisher = publisher
  }

  private var hasFetchedBookmarks: Bool { registry.session?.hasFetchedBookmarks ?? false }

  /// Stores the rule that the user chose, and has it published.
  /// - Throws: the error of the store: then nothing has changed.
  func choose(_ setting: XEP0492Notification?, for room: JID) async throws {
    guard let state = registry.rooms[room] else { return }
    // In the database first: the program may end before there is a connection.
    try await registry.decide(on: room, from: state) { $0.bookmark.choose(setting) }
    if hasFetchedBookmarks { registry.schedule(.publishNotification(room)) }
  }

  /// Records a bookmark's rule. A rule chosen here since is newer: it is published instead.
  func note(_ setting: XEP0492Notification?, of room: JID) {
    if registry.rooms[room]?.bookmark.rule != nil, !publishing.contains(room) {
      // Until all are read, the code that reads them publishes what is missing.
      if hasFetchedBookmarks { registry.schedule(.publishNotification(room)) }
      return
    }
    guard setting != settings[room] else { return }
    settings[room] = setting
    registry.hub.publish(.roomNotificationChanged(room, setting))
  }

  /// Has the server keep what was chosen here, where it has a bookmark of the room or should have.
  func publish(of room: JID) async {
    guard let state = registry.rooms[room], let rule = state.bookmark.rule, state.isKept,
      let bookmarks = registry.session?.bookmarks, !publishing.contains(room)
    else { return }
    // The server's echo is not new, and a rule that another client sets after this is newer.
    publishing.insert(room)
    settings[room] = rule.setting
    await bookmarks.setNotification(rule.setting, of: room)
    let isPublished = await publisher.publish(room)
    publishing.remove(room)
    guard isPublished else { return }
    // Chosen anew meanwhile: the server has not heard of that.
    guard registry.rooms[room]?.bookmark.rule == rule else { return await publish(of: room) }
    registry.rooms[room]?.bookmark.rule = nil
    await registry.save(room)
  }
}

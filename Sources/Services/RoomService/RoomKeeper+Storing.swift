import Diagnostics
import NatterCore
import XMPP

// What the database keeps of rooms.
extension RoomKeeper {
  /// Stores the state of a room. A failure is reported, and loses only what a restart would need.
  func save(_ jid: JID) async {
    guard let bookmark = rooms[jid]?.bookmark else { return }
    do { try await store.save(bookmark) } catch {
      log.error("storing a room failed: \(error)")
      hub.publish(
        .notice(NatterError(reporting: error, orElse: .storage, key: "error.storage.write").notice))
    }
  }

  /// Stores what is kept of a room after something arrived, however long that takes.
  /// - Returns: whether it is stored; it is not when the task was cancelled.
  @discardableResult
  func saveArrived(_ jid: JID) async -> Bool {
    let stored: Void? = await storage.insist(on: "a room") {
      // As it is by now: it may have changed while the database could not be written.
      guard let bookmark = rooms[jid]?.bookmark else { return }
      try await store.save(bookmark)
    }
    return stored != nil
  }

  /// Reads the rooms from the database, once.
  func load() async {
    guard !hasLoaded else { return }
    do {
      let stored = try await store.bookmarks()
      let invitations = try await store.invitations()
      let refusing = await recalledRefusals()
      guard !hasLoaded else { return }
      refusals.rooms.formUnion(refusing)
      hasLoaded = true
      for (invitation, password) in invitations {
        pendingInvitations.append(invitation)
        if let password { invitedPasswords[invitation.room] = password }
      }
      for bookmark in stored where rooms[bookmark.room] == nil {
        var state = RoomState(bookmark: bookmark, nick: bookmark.nick ?? defaultNick)
        if bookmark.isWanted { state.update { $0.phase = .entering } }
        rooms[bookmark.room] = state
      }
    } catch {
      log.error("reading the rooms failed: \(error)")
    }
  }
}

import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// The rooms of an account, and what the parts of the room service share: the session, the database
/// and the events.
///
/// The service's actor owns it, as it owns the parts: their methods run on that actor, and the
/// state changes under them only while they `await`.
final class RoomRegistry {
  /// The bare JID of the account.
  let account: JID
  let store: any BookmarkStoring & RoomPeopleStoring
  let hub: EventHub
  let log: Log
  let clock: RoomClock
  let identifiers = IdentifierSource()

  var rooms: [JID: RoomState] = [:]
  /// The current session; `nil`: there is none.
  var session: RoomSession?

  /// Serializes the decisions of the user about one room.
  private let decisions = SerialInbox<JID>()
  /// By room, how often it was stored.
  private var writes: [JID: Int] = [:]
  /// Stores what arrived: once `receive` has returned, it will not arrive again.
  private let storage: RetryingWrite
  let tasks: AsyncStream<RoomTask>
  private let queue: AsyncStream<RoomTask>.Continuation

  init(
    account: JID, store: any BookmarkStoring & RoomPeopleStoring, hub: EventHub, log: Log,
    clock: RoomClock
  ) {
    self.account = account.bare
    self.store = store
    self.hub = hub
    self.log = log
    self.clock = clock
    storage = RetryingWrite(hub: hub, sleep: clock.sleep) { log.error($0) }
    (tasks, queue) = AsyncStream<RoomTask>.makeStream()
  }

  var channel: (any StanzaChannel)? { session?.channel }

  /// The nick of the user in rooms for which they chose no other.
  var defaultNick: String { account.local ?? account.domain }

  /// Has `AccountRooms.run` do `task` beside everything else.
  func schedule(_ task: RoomTask) { queue.yield(task) }

  /// Publishes the changes: one event for the occupants of each room, one for all rooms.
  func publishChanges() {
    var changed: [Room] = []
    for jid in rooms.keys {
      for settled in rooms[jid]?.takeSettledVoices() ?? [] {
        hub.publish(.voiceRequestSettled(settled))
      }
      guard let (room, people) = rooms[jid]?.takeChanges() else { continue }
      if let people { hub.publish(.occupantsChanged(people)) }
      if let room { changed.append(room) }
    }
    if !changed.isEmpty { hub.publish(.roomsChanged(changed)) }
  }

  // MARK: - The server

  /// Returns the state of a room, which the user has to be in.
  func inside(_ room: JID) throws -> RoomState {
    guard let state = rooms[room.bare], state.room.phase == .inside else {
      throw channel == nil
        ? NatterError(.offline, "error.offline") : NatterError(.refused, "error.room.notInside")
    }
    return state
  }

  func send(_ stanza: Element) async throws {
    guard let channel else { throw NatterError(.offline, "error.offline") }
    do { try await channel.send(stanza) } catch { throw NatterError(.offline, "error.offline") }
  }

  func ask(_ question: Element) async throws -> Element {
    guard let channel else { throw NatterError(.offline, "error.offline") }
    do { return try await channel.request(question) } catch { throw NatterError(answering: error) }
  }

  // MARK: - The database

  /// Stores what the user decided about a room, and changes the state once that is stored. What
  /// arrives meanwhile stays.
  /// - Parameters:
  ///   - unknown: the state that the decision changes if the room is not known.
  ///   - decision: the change; it may be applied to several copies of the state.
  /// - Throws: the error of the store: then the state has not changed.
  @discardableResult
  func decide<Result>(
    on jid: JID, from unknown: RoomState, _ decision: (inout RoomState) -> Result
  ) async throws -> Result {
    try await decisions.run(in: jid) {
      while true {
        var copy = rooms[jid] ?? unknown
        _ = decision(&copy)
        let write = noteWrite(of: jid)
        try await store.save(copy.bookmark)
        // Otherwise the state was stored again meanwhile, without the decision.
        guard writes[jid] == write else { continue }
        var state = rooms[jid] ?? unknown
        let result = decision(&state)
        rooms[jid] = state
        return result
      }
    }
  }

  private func noteWrite(of jid: JID) -> Int {
    let write = (writes[jid] ?? 0) + 1
    writes[jid] = write
    return write
  }

  /// Stores the state of a room. A failure is reported, and loses only what a restart would need.
  func save(_ jid: JID) async {
    guard let bookmark = rooms[jid]?.bookmark else { return }
    _ = noteWrite(of: jid)
    do { try await store.save(bookmark) } catch {
      log.error("storing a room failed: \(error)")
      hub.publish(
        .notice(NatterError(reporting: error, orElse: .storage, key: "error.storage.write").notice))
    }
  }

  /// Stores what is kept of a room after something arrived, however long that takes.
  /// - Returns: `false` if the task was cancelled before it was stored.
  @discardableResult
  func saveArrived(_ jid: JID) async -> Bool {
    let stored: Void? = await storage.perform("a room") {
      // As it is by now: it may have changed while the database could not be written.
      guard let bookmark = rooms[jid]?.bookmark else { return }
      _ = noteWrite(of: jid)
      try await store.save(bookmark)
    }
    return stored != nil
  }
}

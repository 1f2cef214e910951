import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// Finds public rooms: those of the own server's components, of services that the user added, and
/// of searches.
///
/// It sends no requests by itself: reading begins when the user opens the list.
package actor PublicRoomFinder: ChannelHolding, PublicRoomFinding {
  /// The maximum number of rooms that are taken from one directory.
  static let roomLimit = 10_000
  /// The maximum number of rooms that are queried for details in one refresh; the others are
  /// queried when the user looks at them.
  static let describedLimit = 400
  /// The maximum number of concurrent queries, so that the user's own stanzas wait behind only a
  /// few.
  private static let questionsAtATime = 6
  private static let pageSize = 200
  /// The maximum number of components of the own server that are queried.
  private static let partLimit = 100

  private let account: JID
  let store: any RoomDirectoryStoring
  private let hub: EventHub
  let log: Log
  let now: @Sendable () -> Date
  package var channel: (any StanzaChannel)?
  private(set) var directories: [JID: RoomDirectory] = [:]
  private(set) var rooms: [JID: PublicRoom] = [:]
  /// The search services that reported too many requests.
  var rests: [JID: Rest] = [:]
  private var hasLoaded = false
  private var isReading = false
  private let followChanges: PendingFollowChanges
  /// The directories that are being read, with the rooms that searches find in them meanwhile.
  var reads = OpenReads<JID, JID>()

  package init(
    account: JID, store: any RoomDirectoryStoring, hub: EventHub, log: Log,
    changes: any PendingChangeStoring,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.account = account.bare
    self.store = store
    self.hub = hub
    self.log = log
    self.now = now
    followChanges = PendingFollowChanges(
      of: .rooms, account: account, store: changes, hub: hub, news: .publicRoomsChanged,
      log: log)
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    await followChanges.reportUnreadable()
    await submitFollowChanges()
  }
  package func sessionResumed() async { await submitFollowChanges() }

  // MARK: - What is known

  /// Returns the directories and rooms that are known, with the pending additions.
  package func listing() async throws -> RoomListing {
    try await load()
    var listing = RoomListing(
      directories: directories.values.sorted {
        ($0.isAdded ? 1 : 0, $0.jid.description) < ($1.isAdded ? 1 : 0, $1.jid.description)
      }, rooms: Array(rooms.values), isReading: isReading)
    listing.waiting = try await followChanges.all().filter(\.follows).map(\.service)
    return listing
  }

  func load() async throws {
    guard !hasLoaded else { return }
    let (directories, rooms) = (try await store.directories(), try await store.publicRooms())
    // A concurrent call may have loaded them first; results read since then are newer.
    guard !hasLoaded else { return }
    hasLoaded = true
    self.directories = Dictionary(
      directories.map { ($0.jid, $0) }, uniquingKeysWith: { first, _ in first })
    for room in rooms { take(room) }
  }

  /// Stores a room. If two directories list the same room, the more detailed entry wins.
  func take(_ room: PublicRoom) {
    guard let known = rooms[room.jid] else { return rooms[room.jid] = room }
    if room.isDescribed || !known.isDescribed { rooms[room.jid] = room }
  }

  /// Returns the rooms of a directory, those that searches have found in it among them.
  func rooms(in directory: JID) -> [PublicRoom] {
    rooms.values.filter { $0.directory == directory }
  }

  func changed() { hub.publish(.publicRoomsChanged) }

  // MARK: - Reading

  /// Reads all directories, and queries rooms without details.
  /// - Throws: `NatterError` when every directory fails, or without a connection.
  package func refresh() async throws {
    let channel = try openChannel()
    guard !isReading else { return }
    isReading = true
    changed()
    defer {
      isReading = false
      changed()
    }
    do {
      try await load()
      try await findOwnServices(over: channel)
      var failure: (any Error)?
      var hasRead = false
      for directory in directories.values.sorted(by: { $0.jid.description < $1.jid.description }) {
        do {
          try await read(directory, over: channel)
          hasRead = true
        } catch let error where error is StanzaError || error is NatterError {
          // A service that is gone does not hide the others from the user.
          log.info("\(directory.jid.domain) lists no rooms: \(error)")
          failure = error
        }
      }
      if let failure, !hasRead { throw failure }
      try await describe(over: channel)
    } catch {
      throw NatterError(answering: error)
    }
  }

  /// Finds the components of the own server that host rooms (XEP-0030 §4, XEP-0045 §6.1).
  private func findOwnServices(over channel: any StanzaChannel) async throws {
    let server = JID(local: nil, domain: account.domain)
    let parts = try await XEP0030Item.list(of: server, over: channel)
    var own: Set<JID> = []
    for part in parts.prefix(Self.partLimit) where part.jid.local == nil && part.node == nil {
      do {
        guard let directory = try await directory(at: part.jid, over: channel),
          directory.kind == .rooms
        else { continue }
        own.insert(part.jid)
        guard directories[part.jid]?.name != directory.name || directories[part.jid] == nil else {
          continue
        }
        var changed = directories[part.jid] ?? directory
        changed.name = directory.name
        directories[part.jid] = changed
        try await store.save(changed)
      } catch let error as StanzaError {
        log.info("a part of the server says nothing of itself: \(error.condition.rawValue)")
      } catch ChannelError.timedOut {
        log.info("a part of the server does not answer")
      }
    }
    for gone in directories.values where !gone.isAdded && !own.contains(gone.jid) {
      try await forget(gone.jid)
    }
  }

  /// Returns the directory at `jid`; `nil` when there is none.
  private func directory(at jid: JID, over channel: any StanzaChannel) async throws
    -> RoomDirectory?
  {
    guard let found = try await information(of: jid, over: channel, timeout: .seconds(10)) else {
      return nil
    }
    let name = found.identities.compactMap(\.name).first { !$0.isEmpty }?
      .beginning(bytes: PublicRoom.nameBytes)
    if found.features.contains(XEP0433.namespace) {
      return RoomDirectory(jid: jid, name: name, kind: .search)
    }
    // A room has that feature as well, but is not a directory.
    guard jid.local == nil, found.features.contains(XEP0045.namespace) else { return nil }
    return RoomDirectory(jid: jid, name: name)
  }

  func information(
    of jid: JID, over channel: any StanzaChannel, timeout: Duration
  ) async throws -> XEP0030Discovery? {
    XEP0030Discovery(
      answer: try await channel.request(XEP0030Discovery.question(to: jid), timeout: timeout))
  }

  private func read(_ directory: RoomDirectory, over channel: any StanzaChannel) async throws {
    let read = reads.begin(directory.jid)
    defer { reads.end(read) }
    let found: [PublicRoom] =
      switch directory.kind {
      case .rooms: try await list(directory.jid, over: channel)
      case .search: try await everything(at: directory.jid, over: channel)
      }
    // The user may have removed it meanwhile.
    guard var directory = directories[directory.jid] else { return }
    directory.readAt = now()
    let listed = found.map { room in
      guard !room.isDescribed, var known = rooms[room.jid], known.isDescribed else { return room }
      // Details from the last query stay until the next one.
      known.directory = room.directory
      known.people = room.people ?? known.people
      return known
    }
    let changes = reads.changes(during: read)
    rooms = rooms.filter { $0.value.directory != directory.jid || !changes.accept($0.key) }
    for room in listed { take(room) }
    directories[directory.jid] = directory
    try await store.save(directory)
    // Its rooms cannot be stored without it.
    guard directories[directory.jid] != nil else { return }
    try await store.replaceRooms(of: directory.jid, with: rooms(in: directory.jid))
    changed()
  }

  /// Lists all rooms of a service, page by page (XEP-0045 §6.3, XEP-0059).
  private func list(_ service: JID, over channel: any StanzaChannel) async throws -> [PublicRoom] {
    var found: [PublicRoom] = []
    var seen: Set<JID> = []
    var position = XEP0059Request.Position.first
    while found.count < Self.roomLimit {
      let page = XEP0059Request(position, limit: Self.pageSize)
      let answer = try await channel.request(XEP0030Item.question(to: service, page: page))
      guard let query = answer.first("query", Namespace.discoItems) else { break }
      let before = found.count
      for item in XEP0030Item.items(in: query, limit: Self.roomLimit)
      where item.jid.local != nil && item.jid.isBare && seen.insert(item.jid).inserted {
        let (name, people) = XEP0045Card.listed(item.name ?? "")
        found.append(
          PublicRoom(
            jid: item.jid, directory: service,
            name: name == item.jid.local ? "" : name, people: people
          ).shortened)
      }
      // A service without paging sends everything at once; one that starts again from the first
      // page must not loop forever.
      guard found.count > before, let last = XEP0059Request.last(in: query) else { break }
      position = .after(last)
    }
    return Array(found.prefix(Self.roomLimit))
  }

  // MARK: - What the rooms say of themselves

  /// Queries rooms without details first, several at a time.
  private func describe(over channel: any StanzaChannel) async throws {
    let own = Set(directories.values.filter { $0.kind == .rooms }.map(\.jid))
    let wanted = rooms.values.filter { own.contains($0.directory) }
      .sorted {
        ($0.isDescribed ? 1 : 0, -($0.people ?? 0)) < ($1.isDescribed ? 1 : 0, -($1.people ?? 0))
      }
      .prefix(Self.describedLimit).map(\.jid)
    var learnt: [PublicRoom] = []
    var rest = wanted[...]
    while !rest.isEmpty {
      let batch = rest.prefix(Self.questionsAtATime)
      rest = rest.dropFirst(batch.count)
      learnt += try await withThrowingTaskGroup(of: PublicRoom?.self) { group in
        for jid in batch {
          group.addTask { try await self.described(jid, over: channel) }
        }
        var described: [PublicRoom] = []
        for try await case let room? in group { described.append(room) }
        return described
      }
      if learnt.count >= 50 || rest.isEmpty {
        try await keep(learnt)
        learnt = []
      }
    }
  }

  func keep(_ learnt: [PublicRoom]) async throws {
    guard !learnt.isEmpty else { return }
    for room in learnt where rooms[room.jid] != nil { rooms[room.jid] = room }
    try await store.save(learnt)
    changed()
  }

  /// - Returns: `nil` when the room gives no information to non-occupants.
  func described(_ jid: JID, over channel: any StanzaChannel) async throws -> PublicRoom? {
    do {
      guard let found = try await information(of: jid, over: channel, timeout: .seconds(10)),
        let card = XEP0045Card(found)
      else { return nil }
      return described(jid, found, card)
    } catch is StanzaError {
      return nil
    } catch ChannelError.timedOut {
      return nil
    }
  }

  func described(_ jid: JID, _ found: XEP0030Discovery, _ card: XEP0045Card) -> PublicRoom {
    var room =
      rooms[jid] ?? PublicRoom(jid: jid, directory: JID(local: nil, domain: jid.domain))
    room.name = card.name == jid.local ? "" : card.name
    room.topic = card.subject.isEmpty ? card.description : card.subject
    room.people = card.people ?? room.people
    room.language = card.language ?? room.language
    room.traits = Room.Trait.read(found)
    room.isDescribed = true
    return room.shortened
  }

  // MARK: - Directories

  /// Adds a service to the directories and reads it.
  /// - Returns: `nil` if the addition is pending.
  /// - Throws: `NatterError` if the service has no rooms.
  package func add(_ service: JID) async throws -> RoomDirectory? {
    try await followChanges.follow(service, over: channel) {
      try await add(service, over: $0)
    } forget: {
      try await forget(service)
    }
  }

  private func add(_ service: JID, over channel: any StanzaChannel) async throws -> RoomDirectory {
    try await load()
    guard var directory = try await directory(at: service, over: channel) else {
      throw NatterError(.refused, "error.discover.noRooms", ["address": service.description])
    }
    directory.isAdded = true
    try await store.save(directory)
    directories[service] = directory
    try await read(directory, over: channel)
    return directories[service] ?? directory
  }

  /// Adds the services that the user added offline.
  private func submitFollowChanges() async {
    await followChanges.submit(over: channel) {
      _ = try await add($0.service, over: $1)
    } forget: {
      try await forget($0.service)
    }
  }

  /// Removes a service from the directories.
  /// - Throws: `NatterError` for an unknown one.
  package func remove(_ service: JID) async throws {
    try await load()
    let waits = try await followChanges.all().contains { $0.service == service && $0.follows }
    guard waits || directories[service] != nil else {
      throw NatterError(.invalidInput, "error.discover.unknown", ["address": service.description])
    }
    try await followChanges.leave(service, over: channel) { try await forget(service) }
  }

  private func forget(_ service: JID) async throws {
    // First, so that a reading in progress stores none of it afterwards.
    directories[service] = nil
    rooms = rooms.filter { $0.value.directory != service }
    try await store.removeDirectory(service)
  }
}

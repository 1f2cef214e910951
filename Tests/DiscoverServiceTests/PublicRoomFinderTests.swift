import Diagnostics
import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import DiscoverService

/// The directories in memory.
actor MemoryDirectoryStore: RoomDirectoryStoring {
  private(set) var stored: [JID: RoomDirectory] = [:]
  private(set) var rooms: [JID: [PublicRoom]] = [:]
  private var afterSaving: (@Sendable () async -> Void)?

  init(_ directories: [RoomDirectory] = [], _ rooms: [PublicRoom] = []) {
    stored = Dictionary(uniqueKeysWithValues: directories.map { ($0.jid, $0) })
    self.rooms = Dictionary(grouping: rooms, by: \.directory)
  }

  func directories() -> [RoomDirectory] { Array(stored.values) }
  /// Has `body` run once, after a directory is saved and before `save` returns.
  func afterSaving(_ body: @escaping @Sendable () async -> Void) { afterSaving = body }
  func save(_ directory: RoomDirectory) async {
    stored[directory.jid] = directory
    let body = afterSaving
    afterSaving = nil
    await body?()
  }
  func removeDirectory(_ jid: JID) { (stored[jid], rooms[jid]) = (nil, nil) }
  func publicRooms() -> [PublicRoom] { rooms.values.flatMap(\.self) }
  func replaceRooms(of directory: JID, with new: [PublicRoom]) { rooms[directory] = new }
  func save(_ changed: [PublicRoom]) {
    for room in changed {
      rooms[room.directory] = rooms[room.directory]?.map { $0.jid == room.jid ? room : $0 }
    }
  }
}

@Suite struct PublicRoomFinderTests {
  private let hub = EventHub()
  private let alice = JID(local: "alice", domain: "example.org")
  private let service = JID(local: nil, domain: "rooms.example.org")
  private let moment = Date(timeIntervalSince1970: 1_795_183_200)

  private let changes = MemoryPendingChanges()

  func finder(
    _ server: ServerOfRooms, _ store: MemoryDirectoryStore = MemoryDirectoryStore()
  ) async -> (PublicRoomFinder, RecordingChannel) {
    let moment = moment
    let finder = PublicRoomFinder(
      account: alice, store: store, hub: hub, log: .none, changes: changes, now: { moment })
    let channel = RecordingChannel { try server.answer($0) }
    await finder.sessionStarted(.fixture, over: channel)
    return (finder, channel)
  }

  private func rooms(_ finder: PublicRoomFinder) async throws -> [String: PublicRoom] {
    Dictionary(
      uniqueKeysWithValues: try await finder.listing().rooms.map { ($0.jid.local ?? "", $0) })
  }

  @Test func `the rooms of the own server are listed and say what they are`() async throws {
    let events = hub.events()
    let store = MemoryDirectoryStore()
    let (finder, _) = await finder(
      ServerOfRooms(
        parts: ["rooms.example.org", "upload.example.org"],
        rooms: [("den", "Den"), ("balcony", "balcony")]), store)
    try await finder.refresh()
    let listing = try await finder.listing()
    #expect(listing.directories.map(\.jid) == [service])
    #expect(listing.directories[0].name == "Rooms" && !listing.directories[0].isAdded)
    #expect(listing.readAt == moment && !listing.isReading)
    let rooms = try await rooms(finder)
    #expect(rooms["den"]?.name == "Den" && rooms["den"]?.topic == "about den")
    #expect(rooms["balcony"]?.name == "" && rooms["balcony"]?.people == 7)
    #expect(rooms["balcony"]?.language == "fr")
    #expect(rooms["balcony"]?.traits == [.membersOnly, .archive])
    #expect(await store.publicRooms().count(where: \.isDescribed) == 2)
    #expect(await events.published(on: hub).contains(.publicRoomsChanged))
  }

  @Test func `a list in pages is read to its end`() async throws {
    let all = (0..<450).map { (local: "r\($0)", name: "Room \($0)") }
    let (finder, channel) = await finder(ServerOfRooms(rooms: all, page: 100))
    try await finder.refresh()
    #expect(try await finder.listing().rooms.count == 450)
    let pages = await channel.requests.filter {
      $0["to"] == "rooms.example.org" && $0.first("query", Namespace.discoItems) != nil
    }
    #expect(pages.count == 6)
    // The others are asked when somebody looks at them.
    #expect(
      try await finder.listing().rooms.count(where: \.isDescribed)
        == PublicRoomFinder.describedLimit)
  }

  @Test func `a server that sends the same page for ever is left after the second`() async throws {
    let all = (0..<50).map { (local: "r\($0)", name: "") }
    let (finder, channel) = await finder(ServerOfRooms(rooms: all, page: 10, loops: true))
    try await finder.refresh()
    #expect(try await finder.listing().rooms.count == 10)
    #expect(
      await channel.requests.count {
        $0["to"] == "rooms.example.org" && $0.first("query", Namespace.discoItems) != nil
      } == 2)
  }

  @Test func `a number after a room's name counts its people, and rooms that say nothing stay`()
    async throws
  {
    let (finder, _) = await finder(
      ServerOfRooms(
        rooms: [("den", "The den (12)"), ("hall", "hall (private, 3)"), ("x", "Smile (:")],
        describes: false))
    try await finder.refresh()
    let rooms = try await rooms(finder)
    #expect(rooms["den"]?.name == "The den" && rooms["den"]?.people == 12)
    #expect(rooms["hall"]?.name == "" && rooms["hall"]?.people == 3)
    #expect(rooms["x"]?.name == "Smile (:" && rooms["x"]?.people == nil)
    #expect(rooms.values.allSatisfy { !$0.isDescribed })
  }

  @Test func `without a connection what was read before is there, and reading is refused`()
    async throws
  {
    let before = moment.addingTimeInterval(-9000)
    let store = MemoryDirectoryStore(
      [RoomDirectory(jid: service, readAt: before)],
      [PublicRoom(jid: JID(local: "den", domain: "rooms.example.org"), directory: service)])
    let (finder, _) = await finder(ServerOfRooms(), store)
    await finder.sessionEnded()
    #expect(try await finder.listing().readAt == before)
    #expect(try await finder.listing().rooms.count == 1)
    await #expect(throws: NatterError(.offline, "error.offline")) { try await finder.refresh() }
    await #expect(throws: NatterError.self) {
      _ = try await finder.preview(of: JID(local: "den", domain: "rooms.example.org"))
    }
  }

  @Test func `a room's description stays until it is asked again, and gone rooms go`()
    async throws
  {
    let den = JID(local: "den", domain: "rooms.example.org")
    let store = MemoryDirectoryStore(
      [RoomDirectory(jid: service)],
      [
        PublicRoom(
          jid: den, directory: service, name: "Den", topic: "old", people: 2, isDescribed: true),
        PublicRoom(jid: JID(local: "gone", domain: "rooms.example.org"), directory: service),
      ])
    let (finder, _) = await finder(
      ServerOfRooms(rooms: [("den", "den (5)")], describes: false), store)
    try await finder.refresh()
    let rooms = try await rooms(finder)
    #expect(rooms.keys.sorted() == ["den"])
    #expect(rooms["den"]?.topic == "old" && rooms["den"]?.people == 5)
  }

  @Test func `a service is added by hand, only where there are rooms, and stays over a reading`()
    async throws
  {
    let (finder, _) = await finder(ServerOfRooms(parts: [], rooms: [("den", "Den")]))
    let added = try #require(try await finder.add(service))
    #expect(added.isAdded && added.kind == .rooms && added.readAt == moment)
    #expect(try await rooms(finder).keys.sorted() == ["den"])
    try await finder.refresh()
    #expect(try await finder.listing().directories.map(\.jid) == [service])
    await #expect(throws: NatterError.self) {
      _ = try await finder.add(JID(local: nil, domain: "upload.example.org"))
    }
    // A room has the feature of rooms, and has none in it.
    await #expect(
      throws: NatterError(
        .refused, "error.discover.noRooms", ["address": "den@rooms.example.org"])
    ) { _ = try await finder.add(JID(local: "den", domain: "rooms.example.org")) }
    try await finder.remove(service)
    #expect(try await finder.listing() == RoomListing())
    await #expect(throws: NatterError.self) { try await finder.remove(service) }
  }

  @Test func `a service that is removed while it has not answered is not added`() async throws {
    let server = ServerOfRooms(parts: [], rooms: [("den", "Den")])
    let store = MemoryDirectoryStore()
    let (finder, _) = await finder(server, store)
    let held = HeldChannel { iq in
      (try? server.answer(iq)) ?? Element("iq", Namespace.client, ["type": "result"])
    }
    await finder.channelOpened(held)
    let adding = Task { try await finder.add(service) }
    await held.waitsForRequest()
    let removing = Task { try await finder.remove(service) }
    try await until { await changes.pending(FollowChange.self).map(\.change.follows) == [false] }
    #expect(try await finder.listing() == RoomListing())
    await held.release()
    await #expect(throws: CancellationError.self) { try await adding.value }
    try await removing.value
    #expect(try await finder.listing() == RoomListing())
    #expect(await store.stored.isEmpty)
    #expect(await changes.pending(FollowChange.self).isEmpty)
  }

  @Test func `a service that is removed while it is read again stays removed`() async throws {
    let server = ServerOfRooms(parts: [], rooms: [("den", "Den")])
    let store = MemoryDirectoryStore([RoomDirectory(jid: service, isAdded: true)])
    let (finder, _) = await finder(server, store)
    let held = HeldChannel(holding: { $0["to"] == "rooms.example.org" }) { iq in
      (try? server.answer(iq)) ?? Element("iq", Namespace.client, ["type": "result"])
    }
    await finder.channelOpened(held)
    let reading = Task { try await finder.refresh() }
    await held.waitsForRequest()
    try await finder.remove(service)
    await held.release()
    try await reading.value
    #expect(try await finder.listing() == RoomListing())
    #expect(await store.stored.isEmpty)
  }

  @Test func `a service that is removed while it is stored again stays removed, with its rooms`()
    async throws
  {
    let store = MemoryDirectoryStore([RoomDirectory(jid: service, isAdded: true)])
    let (finder, _) = await finder(ServerOfRooms(parts: [], rooms: [("den", "Den")]), store)
    await store.afterSaving { [service] in
      await #expect(throws: Never.self) { try await finder.remove(service) }
    }
    try await finder.refresh()
    #expect(try await finder.listing() == RoomListing())
    #expect(await store.stored.isEmpty)
    #expect(await store.rooms.isEmpty)
  }

  @Test func `the results of a search service that is removed meanwhile are ignored`() async throws
  {
    let search = JID(local: nil, domain: "search.example.org")
    let store = MemoryDirectoryStore([RoomDirectory(jid: search, kind: .search, isAdded: true)])
    let (finder, _) = await finder(ServerOfRooms(parts: []), store)
    let item = Element("item", XEP0433.namespace, ["address": "den@rooms.example.net"])
    let held = HeldChannel(
      answer: Element(
        "iq", Namespace.client, ["type": "result"],
        [Element("result", XEP0433.namespace, [:], [item])]))
    await finder.channelOpened(held)
    let searching = Task { try await finder.search(for: "den") }
    await held.waitsForRequest()
    try await finder.remove(search)
    await held.release()
    try await searching.value
    #expect(try await finder.listing() == RoomListing())
    #expect(await store.rooms.isEmpty)
  }

  @Test func `a search lists rooms elsewhere, those with the most people first`() async throws {
    let search = JID(local: nil, domain: "search.example.org")
    let server = ServerOfRooms(parts: [])
    let channel = RecordingChannel { iq in
      guard let question = iq.first("search", XEP0433.namespace) else {
        return try server.answer(iq)
      }
      let form = question.first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }
      let text = form?["q"]?.values.first
      var item = Element(
        "item", XEP0433.namespace, ["address": (text ?? "popular") + "@rooms.example.net"])
      for (name, value) in [
        ("name", "Found"), ("description", "of \(text ?? "all")"), ("nusers", "99"),
        ("is-open", "false"), ("language", "en"),
      ] { item.append(Element(name, XEP0433.namespace, text: value)) }
      let bad = Element("item", XEP0433.namespace, ["address": "not an address @@"])
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [Element("result", XEP0433.namespace, [:], [item, bad])])
    }
    let finder = PublicRoomFinder(
      account: alice, store: MemoryDirectoryStore(), hub: hub, log: .none, changes: changes)
    await finder.sessionStarted(.fixture, over: channel)
    #expect(try await finder.add(search)?.kind == .search)
    try await finder.search(for: "swift")
    let rooms = try await rooms(finder)
    #expect(rooms.keys.sorted() == ["popular", "swift"])
    #expect(rooms["swift"]?.people == 99 && rooms["swift"]?.traits == [.membersOnly])
    #expect(rooms["swift"]?.topic == "of swift")
    // It is asked again for the same: nothing comes twice.
    try await finder.search(for: "swift")
    #expect(try await finder.listing().rooms.count == 2)
  }

  @Test func `a search that was asked too often is left in peace, longer each time`() async throws {
    let search = JID(local: nil, domain: "search.example.org")
    let errors = "urn:xmpp:channel-search:0:error"
    let clock = Mutex(moment)
    let limit = Mutex(Element("rate-limit", errors, ["retry-after": "30"]))
    let asked = Mutex(0)
    let channel = RecordingChannel { iq in
      guard iq.first("search", XEP0433.namespace) != nil else {
        return try ServerOfRooms(parts: []).answer(iq)
      }
      asked.withLock { $0 += 1 }
      throw StanzaError(
        .wait, .resourceConstraint, applicationCondition: limit.withLock { $0 })
    }
    let store = MemoryDirectoryStore()
    await store.save(RoomDirectory(jid: search, kind: .search, isAdded: true))
    let finder = PublicRoomFinder(
      account: alice, store: store, hub: hub, log: .none, changes: changes,
      now: { clock.withLock { $0 } })
    await finder.sessionStarted(.fixture, over: channel)
    func refusal(after seconds: Double, of text: String) async -> String? {
      clock.withLock { $0 += seconds }
      do { try await finder.search(for: text) } catch {
        return (error as? NatterError)?.arguments["seconds"]
      }
      return nil
    }
    #expect(await refusal(after: 0, of: "tea") == "30")
    #expect(await refusal(after: 10, of: "cake") == "20")
    #expect(asked.withLock { $0 } == 1)
    limit.withLock { $0 = Element("rate-limit", errors) }
    #expect(await refusal(after: 20, of: "cake") == "60")
    #expect(await refusal(after: 60, of: "cake") == "120")
    #expect(asked.withLock { $0 } == 3)
    // Whatever number it says, it is asked again the next day.
    limit.withLock { $0 = Element("rate-limit", errors, ["retry-after": "\(Int.max)"]) }
    #expect(await refusal(after: 120, of: "cake") == "86400")
  }

  @Test func `a preview asks who is inside, and does without what a room keeps to itself`()
    async throws
  {
    let server = ServerOfRooms(rooms: [("den", "Den")])
    let channel = RecordingChannel { iq in
      if iq["to"] == "den@rooms.example.org", iq.first("query", Namespace.discoItems) != nil {
        return Element(
          "iq", Namespace.client, ["type": "result"],
          [
            Element(
              "query", Namespace.discoItems, [:],
              ["Bob", "Ann"].map {
                Element(
                  "item", Namespace.discoItems, ["jid": "den@rooms.example.org/\($0)"])
              })
          ])
      }
      return try server.answer(iq)
    }
    let finder = PublicRoomFinder(
      account: alice, store: MemoryDirectoryStore(), hub: hub, log: .none, changes: changes)
    await finder.sessionStarted(.fixture, over: channel)
    let preview = try await finder.preview(of: JID(local: "den", domain: "rooms.example.org"))
    #expect(preview.nicks == ["Ann", "Bob"] && preview.description == "about den")
    #expect(preview.room.name == "Den" && preview.lines.isEmpty)
    await #expect(throws: NatterError.self) {
      _ = try await finder.preview(of: JID(local: "none", domain: "rooms.example.org"))
    }
  }
}

import Diagnostics
import Foundation
import NatterCore
import Storage
import Synchronization
import TestSupport
import XML
import XMPP

@testable import MessagingService

/// An account with a database, an archive on the other side, and what is published.
struct ArchiveFixture {
  let account = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.org")
  let carol = JID(local: "carol", domain: "example.org")
  let hub = EventHub()
  let database: AccountDatabase
  let clock = ManualClock(Date(timeIntervalSince1970: 1_700_200_000))
  let rooms = KnownRooms()
  var now: Date { clock.now }

  init() async throws { database = try await .inMemory() }

  /// - Parameter sleep: waits for catching up once more; by default for ever.
  func synchronizer(
    inbox: AccountEventInbox? = nil, followers: [any ArchiveFollowing] = [],
    store: (any ArchiveStoring & ArrivalReading)? = nil,
    memory: (any ArchiveProgressStoring)? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in
      try await Pause.endless(.zero)
    }
  ) -> ArchiveService {
    let clock = clock
    var ports = ArchivePorts(
      account: account, store: store ?? database.archiveRanges, deliveries: database.outbox,
      copies: CarbonCopies(log: .none), hub: hub, log: .none)
    ports.inbox = inbox
    ports.followers = followers
    ports.rooms = rooms
    ports.memory = memory
    ports.isRoom = { [conversations = database.conversations] in
      (try? await conversations.conversation($0))??.kind == .room
    }
    ports.now = { clock.now }
    ports.sleep = sleep
    return ArchiveService(ports)
  }

  /// Returns a receiver, which stores the messages that arrive.
  func receiver() -> MessageReceiver {
    let clock = clock
    return MessageReceiver(
      account: account, store: database.messages, rooms: rooms, hub: hub, log: .none
    ) { clock.now }
  }

  /// Signs in with copies on, catches up, and stays.
  func signIn(to archive: ScriptedArchive) async -> ArchiveService {
    let synchronizer = synchronizer()
    await synchronizer.signIn(to: archive)
    return synchronizer
  }

  /// Returns the time at which entry number `number` was sent: one a minute.
  static func stamp(_ number: Int) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 60)
  }

  /// The entry number `number`, ids of a server's own.
  func entry(
    _ number: Int, from sender: JID? = nil, to recipient: JID? = nil, prefix: String = "a"
  ) -> ScriptedArchive.Entry {
    var element = Element(
      "message", Namespace.client, ["type": "chat", "id": "m\(number)"],
      [Element("body", Namespace.client, text: "text \(number)")])
    element["from"] = (sender ?? bob.with(resource: "x"))?.description
    element["to"] = (recipient ?? account).description
    return .init(
      id: "\(prefix)\(number)",
      stamp: Self.stamp(number),
      message: MessageStanza(element))
  }

  /// Returns the same under an id that no other message has, as clients make them that send again
  /// without saying so.
  func unique(_ entry: ScriptedArchive.Entry) -> ScriptedArchive.Entry {
    var element = entry.message.element
    element["id"] = (element["id"] ?? "") + "-5f1c2d3e-9a8b-4c7d"
    return .init(id: entry.id, stamp: entry.stamp, message: MessageStanza(element))
  }

  func entries(_ numbers: ClosedRange<Int>) -> [ScriptedArchive.Entry] { numbers.map { entry($0) } }

  /// The entry as the server delivers it at once.
  func live(_ entry: ScriptedArchive.Entry) -> Stanza {
    var element = entry.message.element
    element.append(
      Element(
        "stanza-id", Namespace.stanzaIDs, ["by": account.description, "id": entry.id]))
    return .message(MessageStanza(element))
  }

  /// The entry as the server delivers what it had to keep.
  func delayed(_ entry: ScriptedArchive.Entry) -> Stanza {
    var element = live(entry).element
    element.append(
      Element(
        "delay", Namespace.delay,
        ["from": account.domain, "stamp": XEP0082DateTime.text(for: entry.stamp)]))
    return .message(MessageStanza(element))
  }

  /// Signs in and fills all holes.
  @discardableResult func signInAndFill(to archive: ScriptedArchive) async -> ArchiveService {
    let synchronizer = await signIn(to: archive)
    await synchronizer.fillHoles()
    return synchronizer
  }

  /// Has message `number` said in `room`, whose archive has it and all before it.
  func say(
    _ number: Int, in room: JID, _ archive: ScriptedArchive, to synchronizer: ArchiveService
  ) async {
    await archive.setEntries((1...number).map { .said($0, in: room) }, of: room)
    clock.set(Self.stamp(number))
    let stanza = ScriptedArchive.Entry.said(number, in: room).reflected(by: room)
    await synchronizer.receive([stanza], storedBy: receiver())
  }

  /// The numbers of the messages that the database has, in its order.
  func numbers(in conversation: JID? = nil) async throws -> [Int] {
    try await bodies(in: conversation).map { Int($0.dropFirst(5)) ?? -1 }
  }

  /// Returns `false` if two messages of `conversation` are next to each other as if nothing were
  /// missing between them, but something is.
  func isHonest(in conversation: JID? = nil) async throws -> Bool {
    let peer = conversation ?? bob
    let messages = try await database.timeline.latest(10_000, in: peer)
    let holes = try await synchronizer().holes(in: peer)
    return zip(messages, messages.dropFirst()).allSatisfy { first, second in
      let step = (Int(second.body.dropFirst(5)) ?? 0) - (Int(first.body.dropFirst(5)) ?? 0)
      return step == 1
        || holes.contains { $0.after >= first.position.time && $0.after < second.position.time }
    }
  }

  func bodies(in conversation: JID? = nil) async throws -> [String] {
    try await database.timeline.latest(10_000, in: conversation ?? bob).map(\.body)
  }

  func texts(_ numbers: ClosedRange<Int>) -> [String] { numbers.map { "text \($0)" } }
}

extension ArchiveService {
  nonisolated var copies: CarbonCopies { ports.copies }
  var retriedAt: Date { catchUp.retry.askedAt }

  /// Begins a session with copies on, and catches up.
  /// - Parameter receiver: hears of the connection, as the service does then.
  nonisolated func signIn(to archive: any StanzaChannel, with receiver: MessageReceiver? = nil)
    async
  {
    await copies.sessionStarted(.fixture, over: archive)
    if let receiver {
      await receiver.connectionOpened()
      await connectionOpened()
    }
    await sessionStarted(.fixture, over: archive)
  }

  /// Receives `stanzas` once `receiver` has stored them.
  nonisolated func receive(_ stanzas: [Stanza], storedBy receiver: MessageReceiver) async {
    await receiver.receive(stanzas)
    await receive(stanzas)
  }
}

extension ScriptedArchive.Entry {
  /// A message in a room.
  static func said(
    _ number: Int, in room: JID, by nick: String = "bob",
    _ change: (inout Element) -> Void = { _ in }
  ) -> Self {
    var element = Element(
      "message", Namespace.client,
      ["type": "groupchat", "id": "r\(number)", "from": "\(room)/\(nick)"],
      [Element("body", Namespace.client, text: "text \(number)")])
    change(&element)
    return .init(
      id: "r\(number)", stamp: ArchiveFixture.stamp(number), message: MessageStanza(element))
  }

  /// As it comes from `owner` when it is said.
  func reflected(by owner: JID) -> Stanza {
    var element = message.element
    element.append(
      Element("stanza-id", Namespace.stanzaIDs, ["by": owner.description, "id": id]))
    return .message(MessageStanza(element))
  }
}

/// The known rooms, as a test sets them.
final class KnownRooms: RoomViewing, RoomReading {
  private let known = Mutex<(views: [JID: RoomMembership], rooms: [JID: Room])>(([:], [:]))
  private let refusing = Mutex<[JID]>([])

  /// The rooms whose archives were reported to refuse being read.
  var refused: [JID] { refusing.withLock { $0 } }
  func archiveRefused(of room: JID) { refusing.withLock { $0.append(room) } }

  /// The room is entered, or is to be.
  func set(_ view: RoomMembership?, of room: JID, phase: Room.Phase = .inside) {
    known.withLock {
      $0.views[room] = view
      $0.rooms[room] = Room(jid: room, nick: view?.nick ?? "alice", phase: phase)
    }
  }

  func knows(_ room: JID) -> Bool { known.withLock { $0.rooms[room] != nil } }
  func views() -> [JID: RoomMembership] { known.withLock { $0.views } }
  func rooms() -> [Room] { known.withLock { Array($0.rooms.values) } }
  func occupants(of room: JID) -> [Occupant] { [] }
}

/// A clock that shows the time that a test sets.
final class ManualClock: Sendable {
  private let time: Mutex<Date>
  init(_ now: Date) { time = Mutex(now) }
  var now: Date { time.withLock { $0 } }
  func set(_ now: Date) { time.withLock { $0 = now } }
}

import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

@Suite struct ReadStateStoreTests {
  private func filled(_ count: Int, unread: Bool = true) async throws -> AccountDatabase {
    let database = try await AccountDatabase.inMemory()
    _ = try await database.messages.insert(
      (1...count).map {
        Sample.message("\($0)", at: Double($0), origin: "o\($0)", stanza: "s\($0)")
      }
    ) { _ in unread }
    return database
  }

  private func unread(_ database: AccountDatabase) async throws -> Int? {
    try await database.conversations.conversation(Sample.juliet)?.unread
  }

  @Test func `receipts stay due until they are removed, each once`() async throws {
    let store = try await AccountDatabase.inMemory().readState
    let one = ReceiptRequest(sender: Sample.phone, id: "1")
    let two = ReceiptRequest(sender: Sample.tablet, id: "1")
    try await store.addReceipts([one, two, one])
    try await store.addReceipts([one])
    #expect(try await store.receiptsDue() == [one, two])
    try await store.removeReceipts([one, ReceiptRequest(sender: Sample.phone, id: "2")])
    #expect(try await store.receiptsDue() == [two])
  }

  @Test func `reading makes the last marker and the newest position due, once`() async throws {
    let database = try await filled(3)
    let store = database.readState
    try await store.addMarkable([
      ReadMarker(conversation: Sample.juliet, id: "o1"),
      ReadMarker(conversation: Sample.juliet, id: "o3"),
    ])
    #expect(try await store.markersDue() == [])
    #expect(try await store.markRead(Sample.juliet, isCaughtUp: true)?.unread == 0)
    let marker = ReadMarker(conversation: Sample.juliet, id: "o3")
    let position = ReadPosition(conversation: Sample.juliet, stanzaID: "s3")
    #expect(try await store.markersDue() == [marker])
    #expect(try await store.positionsDue() == [position])
    try await store.removeMarkers([marker])
    try await store.settlePosition(ReadPosition(conversation: Sample.juliet, stanzaID: "s2"))
    #expect(try await store.positionsDue() == [position])
    try await store.settlePosition(position)
    _ = try await store.markRead(Sample.juliet, isCaughtUp: true)
    #expect(try await store.markersDue() == [])
    #expect(try await store.positionsDue() == [])
    #expect(try await store.markRead(Sample.room, isCaughtUp: true) == nil)
  }

  @Test func `a conversation that was marked as unread stays so until it is read again`()
    async throws
  {
    let database = try await filled(3)
    let store = database.readState
    #expect(try await store.markUnread(Sample.juliet) == nil)
    _ = try await store.markRead(Sample.juliet, isCaughtUp: true)
    let position = ReadPosition(conversation: Sample.juliet, stanzaID: "s3")
    try await store.settlePosition(position)
    let marked = try #require(try await store.markUnread(Sample.juliet))
    let newest = try #require(try await database.timeline.latest(1, in: Sample.juliet).first)
    #expect(marked.unread == 1 && marked.firstUnread == newest.position)
    #expect(try await store.positionsDue() == [])
    // The server reports the known position at each login.
    #expect(try await store.apply([position]).changed == [])
    #expect(try await unread(database) == 1)
    #expect(try await store.markUnread(Sample.juliet) == nil)
    // Reading here, or a later position of another client, ends it.
    #expect(try await store.markRead(Sample.juliet, isCaughtUp: true)?.unread == 0)
    #expect(try await store.apply([position]).changed == [])
    _ = try await store.markUnread(Sample.juliet)
    _ = try await database.messages.insert([
      Sample.message("4", at: 4, origin: "o4", stanza: "s4")
    ]) { _ in true }
    #expect(try await unread(database) == 2)
    _ = try await store.apply([ReadPosition(conversation: Sample.juliet, stanzaID: "s4")])
    #expect(try await unread(database) == 0)
  }

  @Test func `without a received message nothing can be marked as unread`() async throws {
    let database = try await AccountDatabase.inMemory()
    #expect(try await database.readState.markUnread(Sample.juliet) == nil)
    _ = try await database.conversations.open(Sample.juliet, kind: .direct)
    _ = try await database.outbox.enqueue(
      body: "mine", to: Sample.juliet, from: Sample.romeo, originID: "o1",
      at: Date(timeIntervalSince1970: 1))
    #expect(try await database.conversations.markUnread(Sample.juliet) == nil)
  }

  @Test func `reading an occupant's private message says nothing of the room`()
    async throws
  {
    let database = try await AccountDatabase.inMemory()
    _ = try await database.conversations.open(Sample.room, kind: .room)
    let occupant = try #require(Sample.room.with(resource: "juliet"))
    var message = Sample.message("psst", at: 1, origin: "o1", stanza: "s1")
    message.conversation = occupant
    _ = try await database.messages.insert([message]) { _ in true }
    #expect(try await database.readState.markRead(occupant, isCaughtUp: true)?.unread == 0)
    #expect(try await database.readState.positionsDue() == [])
  }

  @Test func `what is asked of a conversation that is read already is due at once`() async throws {
    let database = try await filled(1, unread: false)
    let marker = ReadMarker(conversation: Sample.juliet, id: "o1")
    try await database.readState.addMarkable([marker])
    #expect(try await database.readState.markersDue() == [marker])
  }

  @Test(arguments: [
    (1, 2, "2"), (2, 1, "3"), (3, 0, nil),
  ])
  func `what another client has read is read here, up to there`(
    position: Int, left: Int, first: String?
  ) async throws {
    let database = try await filled(3)
    let (changed, waiting, _) = try await database.readState.apply([
      ReadPosition(conversation: Sample.juliet, stanzaID: "s\(position)")
    ])
    #expect(changed.map(\.unread) == [left])
    #expect(waiting == [])
    let latest = try await database.timeline.latest(3, in: Sample.juliet)
    #expect(changed.first?.firstUnread == latest.first { $0.body == first }?.position)
    #expect(try await database.readState.positionsDue() == [])
  }

  /// Stores the history of a new client, none of which counts as unread by itself.
  private func history(_ numbers: ClosedRange<Int>, in database: AccountDatabase) async throws {
    _ = try await database.messages.insert(
      numbers.map {
        Sample.message("\($0)", at: Double($0), origin: "o\($0)", stanza: "s\($0)")
      }
    ) { _ in false }
  }

  @Test func `groupList empty? no: unread counts are what came after the read position`()
    async throws
  {
    let database = try await AccountDatabase.inMemory()
    try await history(1...5, in: database)
    let position = ReadPosition(conversation: Sample.juliet, stanzaID: "s3")
    let changed = try await database.readState.apply([position]).changed
    #expect(changed.map(\.unread) == [2])
    let latest = try await database.timeline.latest(5, in: Sample.juliet)
    #expect(changed.first?.firstUnread == latest.first { $0.body == "4" }?.position)
    // What is read here stays read, however often it is heard of.
    _ = try await database.readState.markRead(Sample.juliet, isCaughtUp: true)
    #expect(try await database.readState.apply([position]).changed == [])
    #expect(try await unread(database) == 0)
  }

  @Test func `a first position that is known before the history counts when that comes`()
    async throws
  {
    let database = try await AccountDatabase.inMemory()
    let store = database.readState
    var position = ReadPosition(conversation: Sample.juliet, stanzaID: "s3")
    #expect(try await store.apply([position]).unseen == [Sample.juliet])
    try await history(1...5, in: database)
    position.isFirst = true
    let result = try await store.apply([position])
    #expect(result.changed.map(\.unread) == [2] && result.unseen == [])
  }

  @Test func `what came before something that was written there is read`() async throws {
    let database = try await AccountDatabase.inMemory()
    try await history(1...5, in: database)
    _ = try await database.messages.insert([
      Sample.message("mine", at: 4.5, from: Sample.romeo, stanza: "m", direction: .outgoing)
    ]) { _ in false }
    let position = ReadPosition(conversation: Sample.juliet, stanzaID: "s2")
    #expect(try await database.readState.apply([position]).changed.map(\.unread) == [1])
    let last = ReadPosition(conversation: Sample.juliet, stanzaID: "s5")
    #expect(try await database.readState.apply([last]).changed.map(\.unread) == [0])
  }

  @Test func `a position never goes back`() async throws {
    let database = try await filled(3)
    let store = database.readState
    _ = try await store.apply([ReadPosition(conversation: Sample.juliet, stanzaID: "s2")])
    let (changed, _, _) = try await store.apply([
      ReadPosition(conversation: Sample.juliet, stanzaID: "s1")
    ])
    #expect(changed == [])
    #expect(try await unread(database) == 1)
    // What was read here is later than what the others say.
    _ = try await store.markRead(Sample.juliet, isCaughtUp: true)
    _ = try await store.apply([ReadPosition(conversation: Sample.juliet, stanzaID: "s2")])
    #expect(
      try await store.positionsDue() == [
        ReadPosition(conversation: Sample.juliet, stanzaID: "s3")
      ])
  }

  @Test func `a position may be known before its message`() async throws {
    let database = try await filled(1)
    let store = database.readState
    let position = ReadPosition(conversation: Sample.juliet, stanzaID: "s3")
    let (_, waiting, _) = try await store.apply([position])
    #expect(waiting == [Sample.juliet])
    // Reading here, before all is here, does not take the others back.
    _ = try await store.markRead(Sample.juliet, isCaughtUp: false)
    #expect(try await store.positionsDue() == [])
    _ = try await database.messages.insert(
      (2...4).map {
        Sample.message("\($0)", at: Double($0), origin: "o\($0)", stanza: "s\($0)")
      }
    ) { _ in true }
    let (changed, rest, _) = try await store.apply([position])
    #expect(changed.map(\.unread) == [1])
    #expect(rest == [])
    let stranger = ReadPosition(
      conversation: JID(local: "nobody", domain: "example.org"), stanzaID: "x")
    #expect(try await store.apply([stranger]).waiting == [stranger.conversation])
  }

  @Test func `the marker that another client sent is not sent again`() async throws {
    let database = try await filled(2)
    let store = database.readState
    try await store.addMarkable([ReadMarker(conversation: Sample.juliet, id: "o2")])
    #expect(
      try await store.applyOwnMarker(ReadMarker(conversation: Sample.juliet, id: "o1"))?.unread
        == 1)
    #expect(
      try await store.applyOwnMarker(ReadMarker(conversation: Sample.juliet, id: "o2"))?.unread
        == 0)
    #expect(
      try await store.applyOwnMarker(ReadMarker(conversation: Sample.juliet, id: "o9")) == nil)
    _ = try await store.markRead(Sample.juliet, isCaughtUp: true)
    #expect(try await store.markersDue() == [])
  }

  @Test
  func
    `a marker that is due is not when another client has sent it, and an earlier one says nothing`()
    async throws
  {
    let database = try await filled(2)
    let store = database.readState
    try await store.addMarkable([ReadMarker(conversation: Sample.juliet, id: "o2")])
    _ = try await store.markRead(Sample.juliet, isCaughtUp: false)
    #expect(
      try await store.applyOwnMarker(ReadMarker(conversation: Sample.juliet, id: "o1")) == nil)
    #expect(try await store.markersDue().map(\.id) == ["o2"])
    #expect(
      try await store.applyOwnMarker(ReadMarker(conversation: Sample.juliet, id: "o2")) == nil)
    #expect(try await store.markersDue() == [])
  }

  @Test(arguments: ["o1", "o2"])
  func `a marker that another client has sent leaves what is not read yet to be reported`(
    reported: String
  )
    async throws
  {
    let database = try await filled(1)
    let store = database.readState
    try await store.addMarkable([ReadMarker(conversation: Sample.juliet, id: "o1")])
    _ = try await store.markRead(Sample.juliet, isCaughtUp: false)
    #expect(try await store.markersDue().map(\.id) == ["o1"])
    _ = try await database.messages.insert(
      (2...3).map {
        Sample.message("\($0)", at: Double($0), origin: "o\($0)", stanza: "s\($0)")
      }
    ) { _ in true }
    try await store.addMarkable([ReadMarker(conversation: Sample.juliet, id: "o3")])
    // Of what is due here, or of more than that.
    _ = try await store.applyOwnMarker(ReadMarker(conversation: Sample.juliet, id: reported))
    #expect(try await store.markersDue() == [])
    _ = try await store.markRead(Sample.juliet, isCaughtUp: true)
    #expect(try await store.markersDue().map(\.id) == ["o3"])
  }

  @Test func `a marker reads everything that was sent before it, and nothing after`() async throws {
    let database = try await AccountDatabase.inMemory()
    for number in 1...4 {
      _ = try await database.outbox.enqueue(
        body: "\(number)", to: Sample.juliet, from: Sample.romeo, originID: "m\(number)",
        at: Sample.date(Double(number)))
    }
    _ = try await database.outbox.setDelivery(.sent, ofOriginID: "m1")
    _ = try await database.outbox.setDelivery(.delivered, ofOriginID: "m2")
    _ = try await database.outbox.setDelivery(.sent, ofOriginID: "m4")
    let store = database.readState
    // Its acknowledgement is still under way: the recipient has it all the same.
    let changed = try await store.applyMarker(ReadMarker(conversation: Sample.juliet, id: "m3"))
    #expect(changed.map(\.body) == ["1", "2", "3"])
    #expect(changed.allSatisfy { $0.delivery == .read })
    #expect(try await database.timeline.latest(1, in: Sample.juliet).map(\.delivery) == [.sent])
    #expect(try await store.applyMarker(ReadMarker(conversation: Sample.juliet, id: "m3")) == [])
    // Somebody else's word for it counts nothing.
    #expect(try await store.applyMarker(ReadMarker(conversation: Sample.room, id: "m4")) == [])
  }
}

import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// Messages that replace others (XEP-0308), and replies (XEP-0461).
@Suite struct CorrectionTests {
  private static let counting: @Sendable (IncomingMessage) -> Bool = { _ in true }

  private func correction(
    of id: String, _ body: String, at seconds: Double, from sender: JID = Sample.phone,
    in conversation: JID = Sample.juliet, origin: String, stanza: String? = nil,
    occupant: String? = nil, since: Double? = nil, direction: Message.Direction = .incoming
  ) -> IncomingMessage {
    var message = Sample.message(
      body, at: seconds, from: sender, in: conversation, origin: origin, stanza: stanza,
      direction: direction)
    (message.replaces, message.occupantID) = (id, occupant)
    message.presentSince = since.map(Sample.date)
    return message
  }

  private func insert(_ messages: IncomingMessage..., into account: AccountDatabase) async throws
    -> StoredMessages
  {
    let stored = try await account.messages.insert(messages, countsUnread: Self.counting)
    try await account.database.write { try SearchIndex.takeUp(in: $0) }
    return stored
  }

  private func found(_ word: String, in account: AccountDatabase) async throws -> [Int64] {
    try await account.database.write { db in
      try SearchIndex.takeUp(in: db)
      return try db.rows("SELECT rowid FROM message_text WHERE message_text MATCH ?", word) {
        $0.int64(0)
      }
    }
  }

  private func bodies(_ account: AccountDatabase, in jid: JID = Sample.juliet) async throws
    -> [String]
  {
    try await account.timeline.latest(20, in: jid).map { $0.body + ($0.isEdited ? "*" : "") }
  }

  @Test func `it replaces what was said, uncounted, and is what is found`() async throws {
    let account = try await AccountDatabase.inMemory()
    let first = try await insert(
      Sample.message("yonder airlock", origin: "o1"), Sample.message("more", at: 1, origin: "o2"),
      into: account)
    let second = try await insert(
      correction(of: "o1", "yonder window", at: 9, from: Sample.tablet, origin: "o3"), into: account
    )
    #expect(second.messages.isEmpty && second.conversations.isEmpty && second.absorbed.isEmpty)
    #expect(second.changed.map(\.id) == [first.messages[0].id])
    #expect(second.changed[0].edit == Message.Edit(originID: "o3"))
    #expect(second.changed[0].position == first.messages[0].position)
    #expect(try await bodies(account) == ["yonder window*", "more"])
    #expect(try await account.conversations.conversation(Sample.juliet)?.unread == 2)
    #expect(try await found("airlock", in: account) == [])
    #expect(try await found("window", in: account) == [first.messages[0].id.rawValue])
    try await account.database.write { db in
      try SearchIndex.takeUp(in: db)
      try db.run("INSERT INTO message_text (message_text, rank) VALUES ('integrity-check', 1)")
    }
    #expect(try await account.faults() == [])
  }

  @Test func `of several the last counts, in whatever order they come, and whomever they name`()
    async throws
  {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
      let account = try await AccountDatabase.inMemory()
      _ = try await insert(Sample.message("zero", origin: "o0"), into: account)
      let corrections = [
        correction(of: "o0", "one", at: 1, origin: "o1"),
        // Some name what was said last.
        correction(of: order == [0, 1, 2] ? "o1" : "o0", "two", at: 2, origin: "o2"),
        correction(of: "o0", "three", at: 3, origin: "o3"),
      ]
      for index in order { _ = try await insert(corrections[index], into: account) }
      #expect(try await bodies(account) == ["three*"], "\(order)")
    }
  }

  @Test func `the same by several roads is one, also of what it corrects`() async throws {
    let account = try await AccountDatabase.inMemory()
    let original = Sample.message("zero", origin: "o0")
    let first = correction(of: "o0", "one", at: 1, origin: "o1")
    _ = try await insert(original, first, into: account)
    var (archived, itsCorrection) = (original, first)
    (archived.stanzaID, itsCorrection.stanzaID) = ("s0", "s1")
    let again = try await insert(archived, itsCorrection, original, first, into: account)
    #expect(again.messages.isEmpty && again.changed.isEmpty)
    #expect(try await bodies(account) == ["one*"])
    #expect(
      try await account.timeline.storedMessage(named: "s1", in: Sample.juliet)?.stanzaID == "s0")
  }

  @Test func `one whose message is not here is shown by itself until that comes`() async throws {
    let account = try await AccountDatabase.inMemory()
    let early = try await insert(
      correction(of: "o0", "right", at: 5, origin: "o1"), into: account)
    #expect(early.messages.map(\.body) == ["right"] && early.messages[0].isEdited)
    #expect(try await bodies(account) == ["right*"])
    let late = try await insert(
      Sample.message("between", at: 3, origin: "o9"), Sample.message("wrong", origin: "o0"),
      into: account)
    #expect(late.messages.map(\.body) == ["between", "right"])
    #expect(late.absorbed == [Sample.juliet: [early.messages[0].id]])
    #expect(try await bodies(account) == ["right*", "between"])
    #expect(try await found("right", in: account) == [late.messages[1].id.rawValue])
    #expect(try await account.timeline.storedMessage(early.messages[0].id)?.body == "right")
  }

  @Test func `a message and what corrects it in one batch are reported as one`() async throws {
    let account = try await AccountDatabase.inMemory()
    let stored = try await insert(
      correction(of: "o0", "two", at: 2, origin: "o2"), Sample.message("zero", origin: "o0"),
      correction(of: "o0", "one", at: 1, origin: "o1"), into: account)
    #expect(stored.messages.map(\.body) == ["two"])
    #expect(stored.changed.isEmpty && stored.absorbed[Sample.juliet] ?? [] == [])
  }

  @Test func `no one corrects what another has said`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await insert(
      Sample.message("hers", origin: "o1"),
      Sample.message("his", from: Sample.romeo, origin: "o2", direction: .outgoing), into: account)
    let forged = try await insert(
      correction(of: "o2", "forged", at: 1, origin: "o3"),
      correction(
        of: "o1", "forged", at: 2, from: JID(local: "tybalt", domain: "example.org"), origin: "o4"),
      correction(of: "o1", "elsewhere", at: 3, in: Sample.room, origin: "o5"), into: account)
    #expect(forged.changed.isEmpty && forged.messages.count == 3)
    #expect(try await bodies(account).prefix(2) == ["hers", "his"])
  }

  @Test func `in a room the lasting id shows who it is, or else who has had the nick since`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    let nurse = JID(local: "balcony", domain: "rooms.example.org", resource: "nurse")
    let other = JID(local: "balcony", domain: "rooms.example.org", resource: "tybalt")
    var known = Sample.message("by id", from: nurse, in: Sample.room, origin: "o1")
    known.occupantID = "x"
    _ = try await insert(
      known, Sample.message("by nick", at: 1, from: nurse, in: Sample.room, origin: "o2"),
      into: account)
    let stored = try await insert(
      // The nick is somebody else's by now.
      correction(
        of: "o1", "stolen", at: 2, from: nurse, in: Sample.room, origin: "o3", occupant: "y"),
      correction(of: "o2", "stolen", at: 3, from: other, in: Sample.room, origin: "o4"),
      // The user has another nick by now.
      correction(
        of: "o1", "by id, mended", at: 4, from: other, in: Sample.room, origin: "o5", occupant: "x"),
      // The nick's next owner, and an occupant whose time of joining is unknown.
      correction(
        of: "o2", "stolen", at: 5, from: nurse, in: Sample.room, origin: "o6", since: 4),
      correction(of: "o2", "stolen", at: 6, from: nurse, in: Sample.room, origin: "o7"),
      correction(
        of: "o2", "by nick, mended", at: 7, from: nurse, in: Sample.room, origin: "o8", since: 1),
      into: account)
    #expect(stored.changed.map(\.body) == ["by id, mended", "by nick, mended"])
    #expect(stored.messages.map(\.body) == Array(repeating: "stolen", count: 4))
  }

  @Test
  func `what an archive says of a room's corrections counts, whichever of the two comes first`()
    async throws
  {
    let nurse = JID(local: "balcony", domain: "rooms.example.org", resource: "nurse")
    for isBackwards in [false, true] {
      let account = try await AccountDatabase.inMemory()
      _ = try await account.conversations.open(Sample.room, kind: .room)
      var both = [
        Sample.message("wrong", from: nurse, in: Sample.room, origin: "o1", stanza: "s1"),
        correction(
          of: "o1", "right", at: 1, from: nurse, in: Sample.room, origin: "o2", stanza: "s2"),
      ]
      for index in both.indices {
        (both[index].archivedAt, both[index].isDelayed) = (both[index].sentAt, true)
      }
      if isBackwards { both.reverse() }
      for message in both { _ = try await insert(message, into: account) }
      #expect(try await bodies(account, in: Sample.room) == ["right*"])
    }
  }

  @Test
  func `an archive does not say who took a nick since: what is corrected later stays apart`()
    async throws
  {
    let nurse = JID(local: "balcony", domain: "rooms.example.org", resource: "nurse")
    for (isBackwards, direction) in [
      (false, Message.Direction.incoming), (true, .incoming), (false, .outgoing), (true, .outgoing),
    ] {
      let account = try await AccountDatabase.inMemory()
      _ = try await account.conversations.open(Sample.room, kind: .room)
      var both = [
        Sample.message(
          "to account 111", from: nurse, in: Sample.room, origin: "o1", stanza: "s1",
          direction: direction),
        correction(
          of: "o1", "to account 666", at: 600, from: nurse, in: Sample.room, origin: "o2",
          stanza: "s2", direction: direction),
      ]
      for index in both.indices {
        (both[index].archivedAt, both[index].isDelayed) = (both[index].sentAt, true)
        both[index].isOwnByName = direction == .outgoing
      }
      if isBackwards { both.reverse() }
      for message in both { _ = try await insert(message, into: account) }
      #expect(
        try await bodies(account, in: Sample.room) == ["to account 111", "to account 666*"])
    }
  }

  @Test
  func `what was said live by who may be another does not change what comes from the archive`()
    async throws
  {
    let nurse = JID(local: "balcony", domain: "rooms.example.org", resource: "nurse")
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    var original = Sample.message("hers", from: nurse, in: Sample.room, origin: "o1", stanza: "s1")
    (original.archivedAt, original.isDelayed) = (original.sentAt, true)
    _ = try await insert(
      correction(of: "o1", "stolen", at: 5, from: nurse, in: Sample.room, origin: "o2", since: 4),
      into: account)
    _ = try await insert(original, into: account)
    #expect(try await bodies(account, in: Sample.room) == ["hers", "stolen*"])
  }

  // MARK: Local messages

  private func typed(
    _ body: String, _ origin: String, at seconds: Double, in account: AccountDatabase
  )
    async throws -> Message
  {
    try await account.outbox.enqueue(
      body: body, to: Sample.juliet, from: Sample.romeo.bare, originID: origin,
      at: Sample.date(seconds)
    ).message
  }

  @Test
  func `what is corrected before it was sent goes out as it was typed, and then the correction`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let message = try await typed("helo", "o1", at: 0, in: account)
    let changed = try #require(
      try await account.outbox.relations.enqueueCorrection(
        of: message.id, body: "hello", from: Sample.romeo.bare, originID: "o2", at: Sample.date(1)))
    #expect(changed.id == message.id && changed.body == "hello" && changed.delivery == .queued)
    #expect(changed.isFirstQueued && !message.isFirstQueued)
    let queued = try await account.outbox.queued()
    #expect(queued.map(\.body) == ["helo", "hello"])
    #expect(queued.map(\.originID) == ["o1", "o2"] && queued.map(\.replaces) == [nil, "o1"])
    // The server's report about the message does not concern its replacement.
    let sent = try await account.outbox.setDelivery(.sent, ofOriginID: "o1")
    #expect(sent?.id == message.id && sent?.delivery == .queued && sent?.isFirstQueued == false)
    let both = try await account.outbox.setDelivery(.delivered, ofOriginID: "o2")
    #expect(both?.id == message.id && both?.delivery == .delivered && both?.body == "hello")
    #expect(try await account.outbox.queued().isEmpty)
    #expect(try await bodies(account) == ["hello*"])
  }

  @Test func `what comes back from the server is known, whichever of the two it is`() async throws {
    let account = try await AccountDatabase.inMemory()
    let message = try await typed("helo", "o1", at: 0, in: account)
    _ = try await account.outbox.relations.enqueueCorrection(
      of: message.id, body: "hello", from: Sample.romeo.bare, originID: "o2", at: Sample.date(1))
    let stored = try await insert(
      Sample.message(
        "helo", from: Sample.romeo, origin: "o1", stanza: "s1", direction: .outgoing),
      correction(
        of: "o1", "hello", at: 1, from: Sample.romeo, origin: "o2", stanza: "s2",
        direction: .outgoing), into: account)
    #expect(stored.messages.isEmpty && stored.changed.map(\.body) == ["hello"])
    #expect(try await account.outbox.queued().isEmpty)
    #expect(stored.changed.last?.delivery == .sent)
  }

  @Test func `a correction that failed is tried again or dropped; then it says what was sent`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let message = try await typed("helo", "o1", at: 0, in: account)
    _ = try await account.outbox.setDelivery(.sent, ofOriginID: "o1")
    _ = try await account.outbox.relations.enqueueCorrection(
      of: message.id, body: "hello", from: Sample.romeo.bare, originID: "o2", at: Sample.date(1))
    let failed = try await account.outbox.setDelivery(
      .failed(reason: "no"), ofOriginID: "o2")
    #expect(failed?.delivery == .failed(reason: "no") && failed?.body == "hello")
    // While it has failed nothing is corrected on top of it.
    #expect(
      try await account.outbox.relations.enqueueCorrection(
        of: message.id, body: "hallo", from: Sample.romeo.bare, originID: "o3",
        at: Sample.date(2)) == nil)
    let queued = try await account.outbox.requeue(message.id, at: Sample.date(3))
    #expect(queued?.delivery == .queued && queued?.edit?.originID == "o2")
    #expect(try await account.outbox.queued().map(\.originID) == ["o2"])
    guard case .restored(let restored)? = try await account.outbox.remove(message.id) else {
      Issue.record("it was not taken out")
      return
    }
    #expect(restored.body == "helo" && restored.delivery == .sent && !restored.isEdited)
    #expect(try await found("hello", in: account) == [])
    #expect(try await account.outbox.remove(message.id) == nil)
    let unsent = try await typed("new", "o4", at: 5, in: account)
    _ = try await account.outbox.relations.enqueueCorrection(
      of: unsent.id, body: "newer", from: Sample.romeo.bare, originID: "o5", at: Sample.date(6))
    #expect(try await account.outbox.remove(unsent.id) == .gone)
    #expect(try await account.outbox.queued().isEmpty)
  }

  @Test func `what is not one's own cannot be corrected`() async throws {
    let account = try await AccountDatabase.inMemory()
    let hers = try await insert(Sample.message("hers", origin: "o1"), into: account).messages[0]
    for id in [hers.id, Message.ID(99)] {
      #expect(
        try await account.outbox.relations.enqueueCorrection(
          of: id, body: "x", from: Sample.romeo.bare, originID: "o2", at: Sample.date(1)) == nil)
    }
  }

  // MARK: Answers

  @Test func `an answer quotes what is known here, and what it brought where nothing is`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await insert(Sample.message("in truth", origin: "o1", stanza: "s1"), into: account)
    var known = Sample.message("yes", at: 1, origin: "o2")
    known.reply = Message.Reply(id: "o1", author: nil, text: "never said")
    var unknown = Sample.message("no", at: 2, origin: "o3")
    unknown.reply = Message.Reply(id: "gone", author: Sample.juliet, text: "as it was quoted")
    let stored = try await insert(known, unknown, into: account)
    #expect(
      stored.messages.map(\.reply) == [
        Message.Reply(id: "o1", author: Sample.phone, text: "in truth"), unknown.reply,
      ])
    #expect(
      try await account.timeline.latest(9, in: Sample.juliet).suffix(2) == stored.messages[...])
  }

  @Test func `a reply names no one else as the author of what is not known here`() async throws {
    let account = try await AccountDatabase.inMemory()
    let others = [Sample.romeo.bare, JID(local: "boss", domain: "example.org")]
    for (number, author) in others.enumerated() {
      var message = Sample.message("see?", at: Double(number), origin: "o\(number)")
      message.reply = Message.Reply(id: "gone", author: author, text: "never said")
      let stored = try await insert(message, into: account)
      #expect(
        stored.messages.map(\.reply) == [Message.Reply(id: "gone", author: nil, text: "never said")]
      )
    }
    // Another client of the account answered: it may know more.
    var own = Sample.message("yes", at: 5, origin: "o5", direction: .outgoing)
    own.reply = Message.Reply(id: "gone", author: Sample.juliet, text: "asked")
    #expect(try await insert(own, into: account).messages.map(\.reply) == [own.reply])
  }

  @Test func `an answer that is corrected answers still`() async throws {
    let account = try await AccountDatabase.inMemory()
    let reply = Message.Reply(id: "x", author: Sample.juliet, text: "question")
    let message = try await account.outbox.enqueue(
      body: "yse", file: nil, reply: reply, to: Sample.juliet, from: Sample.romeo.bare,
      originID: "o1", at: Sample.date(0)
    ).message
    #expect(message.reply == reply)
    let changed = try await account.outbox.relations.enqueueCorrection(
      of: message.id, body: "yes", from: Sample.romeo.bare, originID: "o2", at: Sample.date(1))
    #expect(changed?.reply == reply)
    #expect(try await account.outbox.queued().map(\.reply) == [reply, reply])
  }
}

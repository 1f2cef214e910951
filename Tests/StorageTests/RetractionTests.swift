import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// Messages that are taken back (XEP-0424, XEP-0425).
@Suite struct RetractionTests {
  private func retraction(
    of id: String, at seconds: Double = 5, from sender: JID = Sample.phone,
    in conversation: JID = Sample.juliet, origin: String = "d1", occupant: String? = nil,
    since: Double? = nil, direction: Message.Direction = .incoming
  ) -> IncomingMessage {
    EffectTests.effect(
      .retraction, id, at: seconds, from: sender, in: conversation, origin: origin,
      occupant: occupant, since: since, direction: direction)
  }

  @Test func `what was put better and never left is gone at once, and nothing of it goes out`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let message = try await account.outbox.enqueue(
      body: "helo", to: Sample.juliet, from: Sample.romeo.bare, originID: "o1", at: Sample.date(0)
    ).message
    for (seconds, body) in [(1.0, "hallo"), (2, "hello")] {
      _ = try await account.outbox.relations.enqueueCorrection(
        of: message.id, body: body, from: Sample.romeo.bare, originID: body,
        at: Sample.date(seconds))
    }
    #expect(try await account.outbox.queued().count == 3)
    #expect(
      try await account.outbox.relations.enqueueRetraction(
        of: message.id, from: Sample.romeo.bare, originID: "r1", at: Sample.date(3)) == .gone)
    #expect(try await account.outbox.queued().isEmpty)
  }

  @Test func `nothing is left of what was said, corrected, quoted, or searched for`() async throws {
    let account = try await AccountDatabase.inMemory()
    var correction = Sample.message("secret, mended", at: 1, origin: "o2")
    correction.replaces = "o1"
    var answer = Sample.message("an answer", at: 2, origin: "o3")
    answer.reply = .init(id: "o1", author: nil, text: "secret")
    try await EffectTests.insert(
      Sample.message("secret", origin: "o1"), correction, answer,
      EffectTests.effect(.reaction, "o1", "👍", at: 3, origin: "r1"), into: account)
    #expect(try await EffectTests.shown(account) == ["secret, mended she:👍", "an answer"])
    #expect(try await !EffectTests.traces(of: "secret", in: account).isEmpty)
    let stored = try await EffectTests.insert(retraction(of: "o1"), into: account)
    #expect(stored.messages.isEmpty && stored.changed.count == 2)
    #expect(stored.changed[0].retraction == .author && !stored.changed[0].isEdited)
    #expect(stored.changed[1].reply?.text == "")
    #expect(try await EffectTests.shown(account) == ["(author)", "an answer"])
    #expect(try await EffectTests.traces(of: "secret", in: account) == [])
    try await EffectTests.checkIndex(of: account)
    // Whatever comes after.
    correction.originID = "o4"
    try await EffectTests.insert(
      correction, Sample.message("secret", origin: "o1", stanza: "s1"),
      EffectTests.effect(.reaction, "o1", "🎉", at: 9, origin: "r2"), retraction(of: "o1"),
      into: account)
    #expect(try await EffectTests.shown(account) == ["(author)", "an answer"])
    #expect(try await EffectTests.traces(of: "secret", in: account) == [])
  }

  @Test func `a file that was offered is offered no more`() async throws {
    let account = try await AccountDatabase.inMemory()
    var message = Sample.message("https://example.org/secret.pdf", origin: "o1")
    message.file = SharedFile(
      address: "https://example.org/secret.pdf", name: "secret.pdf", width: 3, height: 4,
      thumbnail: Array("secret".utf8), otherAddresses: ["https://example.com/secret.pdf"])
    let id = try await EffectTests.insert(message, into: account).messages[0].id
    #expect(try await account.transfers.thumbnail(of: id) == Array("secret".utf8))
    try await EffectTests.insert(retraction(of: "o1"), into: account)
    #expect(try await account.transfers.thumbnail(of: id) == nil)
    let sizes = try await account.database.read {
      try $0.rows("SELECT file_width FROM message WHERE file_width IS NOT NULL") { $0.int(0) }
    }
    #expect(sizes == [])
    #expect(try await account.timeline.latest(1, in: Sample.juliet)[0].file == nil)
    #expect(try await EffectTests.traces(of: "secret", in: account) == [])
  }

  @Test func `one that comes before its message leaves nothing of that, and nothing is unread`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    try await EffectTests.insert(retraction(of: "o1"), into: account)
    let stored = try await EffectTests.insert(
      Sample.message("secret", origin: "o1"), into: account)
    #expect(stored.messages.map(\.isRetracted) == [true])
    #expect(stored.conversations.map(\.unread) == [0])
    #expect(try await EffectTests.traces(of: "secret", in: account) == [])
  }

  @Test func `no one takes back what another has said`() async throws {
    let account = try await AccountDatabase.inMemory()
    try await EffectTests.insert(
      Sample.message("hers", origin: "o1"),
      Sample.message("his", from: Sample.romeo, origin: "o2", direction: .outgoing), into: account)
    let forged = try await EffectTests.insert(
      retraction(of: "o2", origin: "d1"),
      retraction(
        of: "o1", from: JID(local: "tybalt", domain: "example.org"), in: Sample.juliet,
        origin: "d2"),
      EffectTests.effect(.moderation, "o1", from: Sample.juliet, origin: "d3"),
      retraction(of: "o1", from: Sample.romeo, origin: "d4", direction: .outgoing), into: account)
    #expect(forged.changed.isEmpty && forged.messages.isEmpty)
    #expect(try await EffectTests.shown(account) == ["hers", "his"])
  }

  @Test func `in a room the occupant id shows who it is, or a nick since they joined`() async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    let (nurse, room) = (EffectTests.nurse, Sample.room)
    for (index, occupant) in ["n", "n", nil, nil].enumerated() {
      var message = Sample.message(
        "m\(index)", at: Double(index), from: nurse, in: room, origin: "o\(index)",
        stanza: "s\(index)")
      message.occupantID = occupant
      try await EffectTests.insert(message, into: account)
    }
    try await EffectTests.insert(
      // Called so by now; with no word of who it is; from the archive, or from before she came.
      retraction(of: "s0", from: nurse, in: room, origin: "d0", occupant: "t"),
      retraction(of: "s0", from: nurse, in: room, origin: "d1", since: -9),
      retraction(of: "s2", from: nurse, in: room, origin: "d2"),
      retraction(of: "s2", from: nurse, in: room, origin: "d3", since: 2.5),
      retraction(of: "s3", from: nurse, in: room, origin: "d4", occupant: "n", since: 0),
      // It is she.
      retraction(of: "s1", from: EffectTests.tybalt, in: room, origin: "d5", occupant: "n"),
      retraction(of: "s3", from: nurse, in: room, origin: "d6", since: 2.5), into: account)
    #expect(
      try await EffectTests.shown(account, in: room) == ["m0", "(author)", "m2", "(author)"])
  }

  @Test func `the room may retract any message; no one else can in its name`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    try await EffectTests.insert(
      Sample.message("a", from: EffectTests.nurse, in: Sample.room, origin: "o1", stanza: "s1"),
      Sample.message(
        "b", at: 1, from: EffectTests.tybalt, in: Sample.room, origin: "o2", stanza: "s2",
        direction: .outgoing),
      EffectTests.effect(
        .moderation, "s1", from: EffectTests.tybalt, in: Sample.room, origin: "d1"),
      EffectTests.effect(.moderation, "s2", from: Sample.room, in: Sample.room, origin: "d2"),
      into: account)
    #expect(try await EffectTests.shown(account, in: Sample.room) == ["a", "(moderator)"])
  }

  @Test func `a tombstone of an archive is where the message was, be it known or not`() async throws
  {
    let account = try await AccountDatabase.inMemory()
    try await EffectTests.insert(
      Sample.message("secret", origin: "o1", stanza: "s1"), into: account)
    var known = Sample.message("", origin: "o1", stanza: "s1")
    var new = Sample.message("", at: 1, origin: "o2", stanza: "s2")
    (known.retraction, new.retraction) = (.author, .moderator)
    let stored = try await EffectTests.insert(known, new, into: account)
    #expect(stored.changed.map(\.retraction) == [.author])
    #expect(stored.messages.map(\.retraction) == [.moderator])
    #expect(try await EffectTests.shown(account) == ["(author)", "(moderator)"])
    #expect(try await account.conversations.conversation(Sample.juliet)?.unread == 1)
    #expect(try await EffectTests.traces(of: "secret", in: account) == [])
  }

  // MARK: Local messages

  private func typed(_ body: String, _ origin: String, in account: AccountDatabase) async throws
    -> Message
  {
    _ = try await account.conversations.open(Sample.juliet, kind: .direct)
    try await account.conversations.appendToInputHistory(body, of: Sample.juliet)
    return try await account.outbox.enqueue(
      body: body, to: Sample.juliet, from: Sample.romeo.bare, originID: origin, at: Sample.date(0)
    ).message
  }

  private func retract(_ message: Message, _ origin: String, in account: AccountDatabase)
    async throws -> OutboxRetraction?
  {
    try await account.outbox.relations.enqueueRetraction(
      of: message.id, from: Sample.romeo.bare, originID: origin, at: Sample.date(9))
  }

  @Test func `what was sent is taken back in the outbox's way`() async throws {
    let account = try await AccountDatabase.inMemory()
    let message = try await typed("secret", "o1", in: account)
    _ = try await account.outbox.setDelivery(.sent, ofOriginID: "o1")
    _ = try await account.outbox.relations.enqueueCorrection(
      of: message.id, body: "secret too", from: Sample.romeo.bare, originID: "o2",
      at: Sample.date(1))
    guard case .retracted(let changed)? = try await retract(message, "d1", in: account) else {
      Issue.record("it was not taken back")
      return
    }
    #expect(changed.map(\.retraction) == [.author] && changed[0].delivery == .sent)
    #expect(try await EffectTests.traces(of: "secret", in: account) == [])
    // The correction had not left, and will not.
    let queued = try await account.outbox.queued()
    #expect(queued.map(\.originID) == ["d1"] && queued.map(\.effect) == [.retraction])
    #expect(queued.map(\.replaces) == ["o1"])
    #expect(try await retract(message, "d2", in: account) == nil)
    #expect(
      try await account.outbox.setDelivery(.sent, ofOriginID: "d1")?.retraction == .author)
    #expect(try await account.outbox.queued().isEmpty)
    // It comes back from the server, and from another client.
    let back = try await EffectTests.insert(
      Sample.message(
        "secret", from: Sample.romeo, origin: "o1", stanza: "s1", direction: .outgoing),
      retraction(of: "o1", from: Sample.romeo, origin: "d1", direction: .outgoing), into: account)
    #expect(back.messages.isEmpty)
    #expect(try await EffectTests.traces(of: "secret", in: account) == [])
  }

  @Test func `what never left is taken out of the outbox, with what was typed`() async throws {
    let account = try await AccountDatabase.inMemory()
    let message = try await typed("secret", "o1", in: account)
    #expect(try await retract(message, "d1", in: account) == .gone)
    #expect(try await account.outbox.queued().isEmpty)
    #expect(try await EffectTests.shown(account) == [])
    #expect(try await EffectTests.traces(of: "secret", in: account) == [])
  }

  @Test func `what is on its way is kept until it has arrived, and shown no more`() async throws {
    let account = try await AccountDatabase.inMemory()
    let message = try await typed("secret", "o1", in: account)
    try await account.outbox.markAttempted(["o1"], at: Sample.date(1))
    _ = try await retract(message, "d1", in: account)
    #expect(try await EffectTests.shown(account) == ["(author)"])
    #expect(try await account.outbox.queued().map(\.body) == ["secret", ""])
    _ = try await account.outbox.setDelivery(.sent, ofOriginID: "o1")
    #expect(try await EffectTests.traces(of: "secret", in: account) == [])
    #expect(try await account.outbox.queued().map(\.originID) == ["d1"])
  }

  @Test func `what is not one's own cannot be taken back`() async throws {
    let account = try await AccountDatabase.inMemory()
    let hers = try await EffectTests.insert(Sample.message("hers", origin: "o1"), into: account)
      .messages[0]
    #expect(try await retract(hers, "d1", in: account) == nil)
    #expect(try await EffectTests.shown(account) == ["hers"])
  }
}

import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

@Suite struct OutboxTests {
  static let states: [Delivery] = [.queued, .sent, .delivered, .read, .failed(reason: "no")]

  static func enqueue(
    _ account: AccountDatabase, _ body: String, _ origin: String, at time: Double = 0
  )
    async throws -> Message
  {
    try await account.outbox.enqueue(
      body: body, to: Sample.juliet, from: Sample.romeo, originID: origin, at: Sample.date(time)
    ).message
  }

  @Test func `a typed message is queued and its conversation read`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert([Sample.message("hi")], countsUnread: { _ in true })
    try await account.conversations.setDraft("hel", of: Sample.juliet)
    let (message, conversation) = try await account.outbox.enqueue(
      body: "hello", to: Sample.phone, from: Sample.romeo, originID: "o1", at: Sample.date(9))
    #expect(message.delivery == .queued && message.direction == .outgoing)
    #expect(message.conversation == Sample.juliet && message.sender == Sample.romeo)
    #expect(conversation.unread == 0 && conversation.firstUnread == nil && conversation.draft == "")
    #expect(conversation.lastActivity == Sample.date(9))
    #expect(try await account.conversations.conversation(Sample.juliet) == conversation)
    #expect(try await account.outbox.queued() == [message])
    #expect(try await account.timeline.latest(1, in: Sample.juliet) == [message])
  }

  @Test func `a typed message comes after all that is there, whatever the clock says`() async throws
  {
    let account = try await AccountDatabase.inMemory()
    // The server's clock is hours ahead.
    _ = try await account.messages.insert(
      [Sample.message("the question", at: 9000)], countsUnread: { _ in true })
    let answer = try await Self.enqueue(account, "the answer", "o1", at: 10)
    _ = try await Self.enqueue(account, "and on", "o2", at: 11)
    let position = answer.position.time
    #expect(position > Sample.date(9000) && position < Sample.date(9001))
    #expect(answer.sentAt == Sample.date(10))
    let shown = try await account.timeline.latest(9, in: Sample.juliet).map(\.body)
    #expect(shown == ["the question", "the answer", "and on"])
    // It has waited since it was typed.
    let expired = try await account.outbox.expire(queuedBefore: Sample.date(10.5), reason: "late")
    #expect(expired.map(\.body) == ["the answer"])
  }

  @Test func `a clock that is put right changes nothing of how long something has waited`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await Self.enqueue(account, "typed", "o1", at: 0)
    try await account.outbox.shiftWaiting(by: 3600)
    #expect(
      try await account.outbox.expire(queuedBefore: Sample.date(3599), reason: "late").isEmpty)
    try await account.outbox.shiftWaiting(by: -3600)
    #expect(
      try await account.outbox.expire(queuedBefore: Sample.date(1), reason: "late").count == 1)
  }

  @Test func `suspects are messages that are queued`() async throws {
    let account = try await AccountDatabase.inMemory()
    var messages: [Message] = []
    for number in 1...4 {
      messages.append(try await Self.enqueue(account, "\(number)", "o\(number)"))
    }
    let outbox = account.outbox
    try await outbox.setSuspects(["o1", "o2", "o3", "unknown"])
    #expect(try await outbox.suspects() == ["o1", "o2", "o3"])
    _ = try await outbox.setDelivery(.sent, ofOriginID: "o1")
    _ = try await outbox.remove(messages[1].id)
    #expect(try await outbox.suspects() == ["o3"])
    try await outbox.setSuspects(["o4"])
    #expect(try await outbox.suspects() == ["o4"])
    try await outbox.setSuspects([])
    #expect(try await outbox.suspects() == [])
  }

  @Test func `a draft of something else stays`() async throws {
    let account = try await AccountDatabase.inMemory()
    try await account.conversations.setDraft("a long thought", of: Sample.juliet)
    _ = try await Self.enqueue(account, "by a script", "o")
    #expect(try await account.conversations.conversation(Sample.juliet)?.draft == "a long thought")
  }

  @Test func `the same origin-id is stored once`() async throws {
    let account = try await AccountDatabase.inMemory()
    let first = try await Self.enqueue(account, "hello", "o1")
    let second = try await Self.enqueue(account, "hello", "o1")
    #expect(first == second)
    #expect(try await account.outbox.queued().count == 1)
  }

  @Test func `the outbox keeps the order of typing`() async throws {
    let account = try await AccountDatabase.inMemory()
    // The clock went back between them.
    for (number, time) in [5.0, 3, 9].enumerated() {
      _ = try await Self.enqueue(account, "\(number)", "o\(number)", at: time)
    }
    #expect(try await account.outbox.queued().map(\.body) == ["0", "1", "2"])
  }

  @Test func `a reflection of a local message is not stored again`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await Self.enqueue(account, "hello", "o1")
    let (messages, _) = try await account.messages.insert(
      [
        Sample.message(
          "hello", from: Sample.romeo.bare, origin: "o1", stanza: "s", direction: .outgoing)
      ], countsUnread: { _ in true }
    ).parts
    #expect(messages.isEmpty)
  }

  @Test func `states go forward only, but for a retry`() async throws {
    let allowed: Set<String> = [
      "queued-sent", "queued-delivered", "queued-read", "queued-failed", "sent-delivered",
      "sent-read", "sent-failed", "delivered-read", "failed-queued", "failed-sent",
      "failed-delivered", "failed-read",
    ]
    let account = try await AccountDatabase.inMemory()
    for (from, before) in Self.states.enumerated() {
      for (to, after) in Self.states.enumerated() {
        let origin = "\(from)-\(to)"
        _ = try await Self.enqueue(account, "x", origin)
        _ = try await account.outbox.setDelivery(before, ofOriginID: origin)
        let changed = try await account.outbox.setDelivery(after, ofOriginID: origin)
        let names = [before, after].map { ColumnCoding.name(of: $0) ?? "" }.joined(separator: "-")
        #expect((changed != nil) == allowed.contains(names), "\(names)")
        #expect(changed == nil || changed?.delivery == after)
        let stored = try await account.timeline.latest(1, in: Sample.juliet).first
        #expect(stored?.delivery == (changed == nil ? before : after), "\(names)")
      }
    }
  }

  @Test func `a reason is kept, and replaced by another`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await Self.enqueue(account, "x", "o")
    for reason in ["too long", "blocked"] {
      let message = try await account.outbox.setDelivery(.failed(reason: reason), ofOriginID: "o")
      #expect(message?.delivery == .failed(reason: reason))
    }
    #expect(try await account.outbox.setDelivery(.queued, ofOriginID: "o")?.delivery == .queued)
    #expect(try await account.outbox.queued().map(\.delivery) == [.queued])
  }

  @Test func `a receipt counts only from the one it was sent to`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await Self.enqueue(account, "x", "o")
    let stranger = JID(local: "tybalt", domain: "example.org")
    #expect(
      try await account.outbox.setDelivery(.read, ofOriginID: "o", sentTo: stranger) == nil)
    #expect(try await account.outbox.setDelivery(.read, ofOriginID: "o2") == nil)
    let read = try await account.outbox.setDelivery(.read, ofOriginID: "o", sentTo: Sample.phone)
    #expect(read?.delivery == .read)
  }

  @Test func `a receipt for a reaction whose message is not here is taken`() async throws {
    let account = try await AccountDatabase.inMemory()
    try await EffectTests.insert(
      EffectTests.effect(
        .reaction, "not-here", "👍", from: Sample.romeo, origin: "r1", direction: .outgoing),
      into: account)
    // Nothing of it is shown, and it is noted all the same.
    _ = try await account.outbox.setDelivery(.read, ofOriginID: "r1", sentTo: Sample.phone)
    let noted = try await account.database.read { db in
      try db.rows("SELECT delivery FROM message") { $0.optionalString(0) }
    }
    #expect(noted == ["read"])
  }

  @Test func `in a room only the room says what became of a message`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    _ = try await account.outbox.enqueue(
      body: "x", to: Sample.room, from: Sample.romeo, originID: "o", at: Sample.date(0))
    let tybalt = try #require(Sample.room.with(resource: "tybalt"))
    #expect(
      try await account.outbox.setDelivery(.read, ofOriginID: "o", sentTo: tybalt) == nil)
    let sent = try await account.outbox.setDelivery(
      .sent, ofOriginID: "o", sentTo: Sample.room)
    #expect(sent?.delivery == .sent)
  }

  @Test func `a message about to be sent is distinguished from one gone or failed by now`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let messages = try await [
      Self.enqueue(account, "a", "o1"), Self.enqueue(account, "b", "o2"),
      Self.enqueue(account, "c", "o3"),
    ]
    _ = try await account.outbox.remove(messages[0].id)
    _ = try await account.outbox.setDelivery(.failed(reason: "late"), ofOriginID: "o2")
    for _ in 0..<2 {
      let marked = try await account.outbox.markAttempted(
        ["o1", "o2", "o3", "o4"], at: Sample.date(1))
      #expect(marked == ["o3"])
    }
  }

  @Test
  func `that a given-up message may have arrived is not forgotten, and no one refused it`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let message = try await Self.enqueue(account, "x", "o")
    try await account.outbox.markAttempted(["o"], at: Sample.date(1))
    let failed = try await account.outbox.giveUp("o", reason: "left")
    #expect(failed?.delivery == .failed(reason: "left"))
    #expect(try await account.outbox.giveUp("o", reason: "left") == nil)
    #expect(try await account.outbox.giveUp("none", reason: "left") == nil)
    let again = try await account.outbox.requeue(message.id, at: Sample.date(2))
    #expect(again?.delivery == .queued)
    #expect(try await account.outbox.attempts() == ["o": Sample.date(1)])
    #expect(try await account.outbox.refusals().isEmpty)
  }

  @Test func `an incoming message has no delivery to change`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert(
      [Sample.message("hi", origin: "o")], countsUnread: { _ in true })
    #expect(try await account.outbox.setDelivery(.read, ofOriginID: "o") == nil)
  }

  @Test func `only what waits or failed can be removed, and its number is not used again`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let (incoming, _) = try await account.messages.insert(
      [Sample.message("hi", at: 1)], countsUnread: { _ in false }
    ).parts
    #expect(try await account.outbox.remove(incoming[0].id) == nil)
    for (number, state) in Self.states.enumerated() {
      let message = try await Self.enqueue(account, "x", "o\(number)", at: 5)
      _ = try await account.outbox.setDelivery(state, ofOriginID: "o\(number)")
      let isRemovable = state == .queued || state == .failed(reason: "no")
      #expect(try await account.outbox.remove(message.id) == (isRemovable ? .gone : nil))
      #expect(try await account.outbox.remove(message.id) == nil)
      let next = try await Self.enqueue(account, "y", "next\(number)")
      #expect(next.id > message.id)
    }
  }

  @Test func `the last activity is that of what is left`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert(
      [Sample.message("hi", at: 1)], countsUnread: { _ in false })
    let message = try await Self.enqueue(account, "x", "o", at: 5)
    #expect(try await account.outbox.remove(message.id) == .gone)
    let conversation = try await account.conversations.conversation(Sample.juliet)
    #expect(conversation?.lastActivity == Sample.date(1))
  }
}

import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// Messages whose text is not what was said: encrypted ones, unknown ones, and calls.
@Suite struct ContentTests {
  private let encrypted = Message.Content.encrypted(
    XEP0380Encryption(method: "urn:e", name: "Enig\tma"))

  private func message(
    _ content: Message.Content, at seconds: Double = 0, origin: String? = "o1",
    stanza: String? = nil, source: String? = nil
  ) -> IncomingMessage {
    var message = Sample.message("", at: seconds, origin: origin, stanza: stanza)
    message.payload = .content(content, source: source)
    return message
  }

  private func end(
    _ end: Message.Call, of call: String = "c1", at seconds: Double = 9, late: Bool = false
  ) -> IncomingMessage {
    var message = Sample.message(
      "", at: seconds, from: end == .missed ? Sample.phone : Sample.romeo, origin: "e",
      direction: end == .missed ? .incoming : .outgoing)
    message.payload = .callEnd(id: call, end)
    message.isDelayed = late
    return message
  }

  private func insert(_ messages: IncomingMessage..., in account: AccountDatabase) async throws
    -> StoredMessages
  {
    try await account.messages.insert(messages) { _ in true }
  }

  private func contents(_ account: AccountDatabase) async throws -> [Message.Content?] {
    try await account.timeline.latest(20, in: Sample.juliet).map(\.content)
  }

  private func sources(_ account: AccountDatabase) async throws -> [String] {
    try await account.database.read { db in
      try db.rows("SELECT stanza FROM message_source ORDER BY id") { $0.string(0) }
    }
  }

  @Test
  func `two that cannot be read differ under one id, and one that came twice is known`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    func arrives(_ print: String) async throws -> Int {
      var arriving = message(encrypted, origin: "1")
      arriving.contentPrint = print
      return try await insert(arriving, in: account).messages.count
    }
    #expect(try await arrives("a") == 1)
    #expect(try await arrives("b") == 1)
    #expect(try await arrives("a") == 0)
    #expect(try await contents(account) == [encrypted, encrypted])
  }

  @Test func `each kind is read as it was stored, and counts as unread`() async throws {
    let account = try await AccountDatabase.inMemory()
    let all: [Message.Content] = [
      encrypted, .encrypted(XEP0380Encryption(method: "urn:e")), .unknown(namespace: "urn:x"),
      .call(.ringing),
    ]
    for (number, content) in all.enumerated() {
      let stored = try await insert(
        message(content, at: Double(number), origin: "o\(number)"), in: account)
      #expect(stored.messages.map(\.content) == [content])
      #expect(stored.conversations.first?.unread == number + 1)
    }
    #expect(try await contents(account) == all)
  }

  @Test func `the stanza is kept for a later version, and goes with the message`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await insert(
      message(encrypted, source: "<message>1</message>"),
      message(encrypted, at: 1, origin: "o2", source: "<message>2</message>"), in: account)
    // By another road, once.
    _ = try await insert(
      message(encrypted, stanza: "s1", source: "<message>1</message>"), in: account)
    #expect(try await sources(account) == ["<message>1</message>", "<message>2</message>"])
    var retraction = Sample.message("", at: 2, origin: "o3")
    (retraction.effect, retraction.replaces) = (.retraction, "o1")
    _ = try await insert(retraction, in: account)
    #expect(try await sources(account) == ["<message>2</message>"])
    let first = try await account.timeline.latest(9, in: Sample.juliet).first
    #expect(first?.isRetracted == true && first?.content == nil)
  }

  @Test func `the oldest stanzas give way`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await insert(message(encrypted, source: "<message>1</message>"), in: account)
    try await account.database.write { db in
      try db.run("UPDATE sqlite_sequence SET seq = 10000 WHERE name = 'message_source'")
    }
    _ = try await insert(
      message(encrypted, at: 1, origin: "o2", source: "<message>2</message>"), in: account)
    #expect(try await sources(account) == ["<message>2</message>"])
    #expect(try await contents(account).count == 2)
  }

  @Test func `a correction in clear replaces it`() async throws {
    let account = try await AccountDatabase.inMemory()
    var correction = Sample.message("clear", at: 1, origin: "o2")
    correction.replaces = "o1"
    _ = try await insert(message(encrypted), correction, in: account)
    let all = try await account.timeline.latest(9, in: Sample.juliet)
    #expect(all.map(\.body) == ["clear"] && all.map(\.content) == [nil])
  }

  // MARK: Calls

  private var call: IncomingMessage { message(.call(.ringing), origin: "c1") }

  @Test func `a call that its caller takes back was missed, and stays unread`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await insert(call, in: account)
    let stored = try await insert(end(.missed), in: account)
    #expect(stored.messages.isEmpty && stored.changed.map(\.content) == [.call(.missed)])
    #expect(try await contents(account) == [.call(.missed)])
    #expect(try await account.conversations.conversation(Sample.juliet)?.unread == 1)
    // Received again, nothing changes.
    #expect(try await insert(end(.missed), in: account).changed.isEmpty)
  }

  @Test(arguments: [Message.Call.answered, .declined])
  func `one that another client of the account has taken or declined was not missed`(
    by own: Message.Call
  ) async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await insert(call, in: account)
    let stored = try await insert(end(own), in: account)
    #expect(stored.changed.map(\.content) == [.call(own)])
    #expect(stored.conversations.map(\.unread) == [0])
    _ = try await insert(end(.missed), in: account)
    #expect(try await contents(account) == [.call(own)])
  }

  @Test func `the end may be known before the call, in whatever order`() async throws {
    for ends in [[Message.Call.missed, .declined], [.declined, .missed]] {
      let account = try await AccountDatabase.inMemory()
      for one in ends { _ = try await insert(end(one), in: account) }
      #expect(try await account.conversations.conversations().isEmpty)
      let stored = try await insert(call, in: account)
      #expect(stored.messages.map(\.content) == [.call(.declined)])
      #expect(stored.conversations.map(\.unread) == [0])
    }
  }

  @Test func `in one batch the message is reported as it is in the end`() async throws {
    let account = try await AccountDatabase.inMemory()
    let stored = try await insert(call, end(.missed), in: account)
    #expect(stored.messages.map(\.content) == [.call(.missed)] && stored.changed.isEmpty)
  }

  @Test func `what rang while the user was away was missed, unless another device took it`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    var late = call
    late.isDelayed = true
    #expect(try await insert(late, in: account).messages.map(\.content) == [.call(.missed)])
    #expect(
      try await insert(end(.answered, late: true), in: account).changed.map(\.content)
        == [.call(.answered)])
  }

  @Test func `a call is there once, by whatever roads it comes, and only its caller ends it`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await insert(call, in: account)
    _ = try await insert(message(.call(.ringing), at: 1, origin: "c1", stanza: "s1"), in: account)
    #expect(try await contents(account) == [.call(.ringing)])
    var other = end(.missed)
    (other.conversation, other.sender) = (Sample.room, Sample.room)
    _ = try await insert(other, in: account)
    #expect(try await contents(account) == [.call(.ringing)])
  }

  @Test func `ends of calls are forgotten in time`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await insert(end(.missed, of: "old"), in: account)
    try await account.database.write { db in
      try db.run("UPDATE sqlite_sequence SET seq = 1000 WHERE name = 'call_end'")
    }
    _ = try await insert(end(.missed, of: "new"), in: account)
    let calls = try await account.database.read { db in
      try db.rows("SELECT call FROM call_end") { $0.string(0) }
    }
    #expect(calls == ["new"])
  }
}

import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

/// Messages that are stored already, and messages that only look the same.
@Suite struct KnownMessageTests {
  private func bodies(_ messages: [IncomingMessage], kind: Conversation.ConversationKind = .direct)
    async throws -> [String]
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.juliet, kind: kind)
    for message in messages {
      _ = try await account.messages.insert([message]) { _ in true }
    }
    return try await account.timeline.latest(1000, in: Sample.juliet).map(\.body)
  }

  @Test(arguments: ["1", "1024", "msg7", "netjabber-12"])
  func `a script that counts its ids from one says the same every day, and each of it is there`(
    id: String
  ) async throws {
    let alarms = (0..<3).map {
      Sample.message(
        "Disk full", at: Double($0) * 86_400, origin: id, stanza: "archived \($0)")
    }
    #expect(try await bodies(alarms).count == 3)
    // And none of them twice.
    #expect(try await bodies(alarms + alarms).count == 3)
  }

  @Test func `what is sent again after a break is the same, whatever the archive calls it`()
    async throws
  {
    let id = "5f1c2d3e-9a8b-4c7d-8e6f-0a1b2c3d4e5f"
    let twice = [
      Sample.message("hello", at: 0, origin: id, stanza: "s1"),
      Sample.message("hello", at: 4000, origin: id, stanza: "s2"),
    ]
    #expect(try await bodies(twice) == ["hello"])
    var again = Sample.message("hello", at: 4000, origin: "7", stanza: "s2")
    again.isSentAgain = true
    #expect(
      try await bodies([Sample.message("hello", at: 0, origin: "7", stanza: "s1"), again])
        == ["hello"])
  }

  @Test(arguments: [Conversation.ConversationKind.direct, .room])
  func `what was typed is known again in the form in which servers give it back`(
    kind: Conversation.ConversationKind
  ) async throws {
    let id = "5f1c2d3e-9a8b-4c7d-8e6f-0a1b2c3d4e5f"
    let typed = "a\r\nb\rc\u{1b}[1m\u{ffff}"
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.juliet, kind: kind)
    _ = try await account.outbox.enqueue(
      body: typed, file: nil, reply: nil, to: Sample.juliet, from: Sample.romeo, originID: id,
      at: Sample.date(0))
    for body in ["a\nb\nc\u{fffd}[1m\u{fffd}", "a\r\nb\rc\u{fffd}[1m\u{fffd}"] {
      _ = try await account.messages.insert([
        Sample.message(
          body, at: 1, from: Sample.romeo, origin: id, stanza: "s1", direction: .outgoing)
      ]) { _ in true }
    }
    #expect(
      try await account.timeline.latest(20, in: Sample.juliet).map(\.body)
        == ["a\nb\nc\u{fffd}[1m\u{fffd}"])
  }

  @Test func `what was put back into an archive has a new name there and its old time`()
    async throws
  {
    let before = Sample.message("hello", at: 5, origin: "7", stanza: "s1")
    let after = Sample.message("hello", at: 5.4, origin: "7", stanza: "other")
    #expect(try await bodies([before, after]) == ["hello"])
  }

  @Test func `by a road without the archive's name it is known by its own`() async throws {
    let live = Sample.message("hello", at: 0, origin: "7")
    let archived = Sample.message("hello", at: 90, origin: "7", stanza: "s1")
    #expect(try await bodies([live, archived]) == ["hello"])
  }

  /// Returns a message without an id, as a history contains it.
  private func reported(_ body: String, at seconds: Double) -> IncomingMessage {
    var message = Sample.message(
      body, at: seconds, origin: IncomingMessage.stampID(for: Sample.date(seconds)))
    message.isDelayed = true
    return message
  }

  @Test func `a history that is sent again is not there twice, nor what came live before`()
    async throws
  {
    let live = [Sample.message("ok", at: 0), Sample.message("ok", at: 40)]
    let history = [
      reported("ok", at: 2), reported("ok", at: 42), reported("ok", at: 100),
      reported("yes", at: 110),
    ]
    #expect(try await bodies(live + history, kind: .room) == ["ok", "ok", "ok", "yes"])
    #expect(try await bodies(live + history + history, kind: .room) == ["ok", "ok", "ok", "yes"])
    // Of those that it may be it is the one that was said at that moment.
    let after = [reported("ok", at: 41), reported("ok", at: 1)]
    #expect(try await bodies(live + after, kind: .room) == ["ok", "ok"])
  }

  @Test func `of many in a moment those nearest to a message without an id are compared with it`()
    async throws
  {
    let limit = MessageRecord.neighbourLimit
    let others = (1...limit + 1).map { Sample.message("\($0)", at: Double($0) / 10) }
    let live = [Sample.message("ok", at: 0)] + others
    #expect(try await bodies(live + [reported("ok", at: 1)], kind: .room).count { $0 == "ok" } == 1)
    // What is further away than that counts as another one.
    let far = reported("ok", at: Double(limit) / 10)
    #expect(try await bodies(live + [far], kind: .room).count { $0 == "ok" } == 2)
  }

  @Test func `a person's program that gives no ids says the same again while the user is away`()
    async throws
  {
    let alarms = [
      Sample.message("Disk full", at: 0), reported("Disk full", at: 200),
      reported("Disk full", at: 260),
    ]
    #expect(try await bodies(alarms) == ["Disk full", "Disk full", "Disk full"])
    // What was not seen to be acknowledged comes again at once, with the moment at which the server
    // had it.
    #expect(try await bodies([alarms[0], reported("Disk full", at: 0.4)]) == ["Disk full"])
  }

  @Test func `what an archive calls a message means nothing in another archive`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    let nurse = Sample.room.with(resource: "nurse") ?? Sample.room
    _ = try await account.messages.insert([
      Sample.message("private", at: 10, origin: "o1", stanza: "a1"),
      Sample.message("forged", at: 99, from: nurse, in: Sample.room, origin: "o2", stanza: "a1"),
      Sample.message("said", at: 50, from: nurse, in: Sample.room, origin: "o3", stanza: "a2"),
    ]) { _ in true }
    let own = Sample.romeo.bare
    #expect(try await account.archiveRanges.storedTime(of: "a1", in: own) == Sample.date(10))
    #expect(
      try await account.archiveRanges.storedTime(of: "a1", in: Sample.room) == Sample.date(99))
    #expect(try await account.archiveRanges.storedTime(of: "a2", in: own) == nil)
    #expect(
      try await account.archiveRanges.storedTime(of: "a2", in: Sample.room) == Sample.date(50))
  }

  @Test func `a substitute for an id is never reported`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert([reported("ok", at: 2)]) { _ in true }
    let stored = try await account.timeline.latest(1, in: Sample.juliet)
    #expect(stored.map(\.originID) == [nil])
    // Nor is it reported to the writer of the message.
    let reported = try await account.messages.insert([reported("well", at: 9)]) { _ in true }
    #expect(reported.messages.map(\.originID) == [nil])
  }
}

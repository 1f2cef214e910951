import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// An arrival costs the same however many of its kind are stored, because others decide how many
/// that are.
///
/// Counted are the steps of SQLite's virtual machine, which are the same on every machine.
@Suite struct LinearWorkTests {
  typealias Arrival = @Sendable (AccountDatabase, Int) async throws -> Void

  struct Flood: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let first: Arrival
    let next: Arrival
  }

  private static func insert(_ message: IncomingMessage, _ account: AccountDatabase) async throws {
    _ = try await account.messages.insert([message]) { _ in true }
  }

  private static let loved = Sample.message("love", at: 1, origin: "x")

  private static func correction(_ number: Int, origin: String) -> IncomingMessage {
    var message = Sample.message("love \(number)", at: 2 + Double(number), origin: origin)
    message.replaces = "x"
    return message
  }

  static let floods = [
    Flood(testDescription: "reactions of one contact") { account, _ in
      try await insert(loved, account)
    } next: { account, number in
      try await insert(
        EffectTests.effect(
          .reaction, "x", ["👍", "❤"][number % 2], at: 2 + Double(number), origin: "r\(number)"),
        account)
    },
    Flood(testDescription: "reactions of many occupants, each with an emoji of its own") {
      account, _ in
      _ = try await account.conversations.open(Sample.room, kind: .room)
      try await insert(
        Sample.message(
          "love", at: 1, from: EffectTests.nurse, in: Sample.room, origin: "x", stanza: "s"),
        account)
    } next: { account, number in
      let sender = EffectTests.nurse.with(resource: "o\(number)") ?? EffectTests.nurse
      let emoji = Unicode.Scalar(0x1F300 + UInt32(number)).map(String.init) ?? "👍"
      try await insert(
        EffectTests.effect(
          .reaction, "s", emoji, at: 2 + Double(number), from: sender, in: Sample.room,
          origin: "r\(number)"), account)
    },
    Flood(testDescription: "reactions to a retracted message") { account, _ in
      try await insert(loved, account)
      try await insert(EffectTests.effect(.retraction, "x", at: 2, origin: "gone"), account)
    } next: { account, number in
      try await insert(
        EffectTests.effect(.reaction, "x", "👍", at: 3 + Double(number), origin: "r\(number)"),
        account)
    },
    Flood(testDescription: "reactions under the id of their message") { account, _ in
      try await insert(loved, account)
    } next: { account, number in
      let emoji = Unicode.Scalar(0x1F300 + UInt32(number)).map(String.init) ?? "👍"
      try await insert(
        EffectTests.effect(.reaction, "x", emoji, at: 2 + Double(number), origin: "x"), account)
    },
    Flood(testDescription: "corrections") { account, _ in
      try await insert(loved, account)
    } next: { account, number in
      try await insert(correction(number, origin: "c\(number)"), account)
    },
    Flood(testDescription: "corrections beside many reactions") { account, _ in
      try await insert(loved, account)
    } next: { account, number in
      try await insert(correction(number, origin: "c\(number)"), account)
      try await insert(
        EffectTests.effect(.reaction, "x", "👍", at: 9000 + Double(number), origin: "r\(number)"),
        account)
    },
    Flood(testDescription: "answers, each to the one before") { account, _ in
      try await insert(loved, account)
    } next: { account, number in
      var answer = Sample.message("so do I", at: 2 + Double(number), origin: "a\(number)")
      answer.reply = Message.Reply(id: "a\(number - 1)", author: nil, text: "")
      try await insert(answer, account)
      _ = try await account.timeline.storedMessage(named: "a\(number)", in: Sample.juliet)
    },
    Flood(testDescription: "a room's history without ids, of one moment") { account, _ in
      _ = try await account.conversations.open(Sample.room, kind: .room)
    } next: { account, number in
      let time = 1000 + Double(number) / 10
      let nurse = EffectTests.nurse
      try await insert(
        Sample.message("live \(number)", at: time, from: nurse, in: Sample.room), account)
      var reported = Sample.message(
        "told \(number)", at: time + 0.05, from: nurse, in: Sample.room,
        origin: IncomingMessage.stampID(for: Sample.date(time + 0.05)))
      reported.isDelayed = true
      try await insert(reported, account)
    },
    Flood(testDescription: "roster pushes") { _, _ in
    } next: { account, number in
      try await account.roster.saveContact(
        Contact(
          jid: JID(local: "c\(number)", domain: "example.org"), subscription: .both,
          groups: ["Friends"]), version: "\(number)")
    },
    Flood(testDescription: "block list pushes") { _, _ in
    } next: { account, number in
      _ = try await account.roster.changeBlocked(
        adding: [JID(local: "c\(number)", domain: "example.org")], removing: [])
    },
  ]

  @Test(arguments: floods)
  func `the work grows with what arrives, not with its square`(flood: Flood) async throws {
    let account = try await AccountDatabase.inMemory()
    try await flood.first(account, 0)
    func work(_ numbers: Range<Int>) async throws -> Int {
      let before = try await account.database.read { $0.work }
      for number in numbers { try await flood.next(account, number) }
      return try await account.database.read { $0.work } - before
    }
    // Until all that is bounded has reached its bound.
    _ = try await work(0..<100)
    let first = try await work(100..<200)
    _ = try await work(200..<700)
    let last = try await work(700..<800)
    #expect(last * 2 < first * 3, "\(first) steps for the second hundred, \(last) for the eighth")
  }

  @Test func `messages that all have one id cost no more than so many of them`() async throws {
    let account = try await AccountDatabase.inMemory()
    func work(_ numbers: Range<Int>) async throws -> Int {
      let before = try await account.database.read { $0.work }
      for number in numbers {
        try await Self.insert(
          Sample.message("love \(number)", at: Double(number), origin: "x"), account)
        try await Self.insert(Self.correction(number, origin: "x"), account)
      }
      return try await account.database.read { $0.work } - before
    }
    _ = try await work(0..<MessageRecord.namesakeLimit)
    let first = try await work(200..<300)
    _ = try await work(300..<700)
    let last = try await work(700..<800)
    #expect(last * 2 < first * 3, "\(first), then \(last)")
  }
}

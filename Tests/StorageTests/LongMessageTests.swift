import NatterCore
import TestSupport
import Testing

@testable import Storage

/// Texts that are long enough to leave the memory of the full-text index before a transaction ends.
@Suite struct LongMessageTests {
  static let bodies: [(String, Int)] = [
    ("a line of text\n", 400_000), ("x", 400_000), ("字", 1_000_000),
    ("a line of text\n", 1_000_000),
    ("a line of text\n", 3_000_000), ("x", 3_000_000),
  ]

  @Test(arguments: bodies)
  func `a long message that failed is taken out`(unit: String, size: Int) async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabase.open(at: scratch.path("natter.db"))
    let body = String(repeating: unit, count: size / unit.utf8.count)
    _ = try await OutboxTests.enqueue(account, "before", "o0")
    let message = try await OutboxTests.enqueue(account, body, "o1")
    _ = try await account.outbox.setDelivery(.failed(reason: "too large"), ofOriginID: "o1")
    #expect(try await account.outbox.remove(message.id) == .gone)
    #expect(try await account.timeline.latest(5, in: Sample.juliet).map(\.body) == ["before"])
    await account.close()
  }

  @Test func `long messages are taken out again and again`() async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabase.open(at: scratch.path("natter.db"))
    var numbers = SeededGenerator(seed: 7)
    // The index merges what it has written: with the first messages or with later ones.
    for (number, count) in [80_000, 10_000, 200_000, 30_000].enumerated() {
      let body = (0..<count).map { _ in String(numbers.next(), radix: 36) }.joined(separator: " ")
      let origin = "o\(number)"
      let message = try await OutboxTests.enqueue(account, body, origin)
      _ = try await account.outbox.setDelivery(.failed(reason: "too large"), ofOriginID: origin)
      #expect(try await account.outbox.remove(message.id) == .gone)
      #expect(try await account.timeline.latest(5, in: Sample.juliet).isEmpty)
    }
    #expect(try await account.faults().isEmpty)
    await account.close()
  }
}

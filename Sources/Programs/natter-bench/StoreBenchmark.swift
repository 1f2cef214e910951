import Diagnostics
import Foundation
import MessagingService
import NatterCore
import Storage
import XMPP

/// The times of common operations on a conversation as it grows.
struct StoreBenchmark {
  /// Messages of each page, about a screen and a half.
  private static let pageSize = 60
  /// The number of measurements of an operation: the median counts.
  private static let samples = 41
  /// Known ranges of the archive, with a gap after each, at every size: opening a conversation and
  /// going back need to know the gaps.
  private static let ranges = 300
  /// The greatest ratio of the times of an operation with the most and with the fewest messages.
  private static let goal = 1.5

  private struct Act {
    let name: String
    var medians: [Duration] = []
    /// The largest size's time over the smallest's.
    var ratio: Double {
      guard let first = medians.first, let last = medians.last, first > .zero else { return 1 }
      return last / first
    }
  }

  let sizes: [Int]
  private let owner = JID(local: "romeo", domain: "example.org")
  private let contact = JID(local: "juliet", domain: "example.org", resource: "phone")

  /// Prints a table: operations, sizes, microseconds, ratios.
  /// - Returns: whether every operation takes about as long in the largest as in the smallest.
  func run() async throws -> Bool {
    var acts = ["open the last page", "go back one page", "insert one"].map { Act(name: $0) }
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "natter-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    var subjects: [Subject] = []
    for size in sizes {
      let account = try await AccountDatabase.open(
        at: directory.appending(path: "\(size).db").path)
      let filling = try await ContinuousClock().measure { try await fill(account, to: size) }
      print("\(size) messages, filled in \(milliseconds(filling)) ms")
      subjects.append(subject(account, size: size))
    }
    // In alternation, so that other load on the machine affects all of them.
    for sample in 0..<Self.samples {
      for index in subjects.indices { try await measure(&subjects[index], sample) }
    }
    for subject in subjects {
      // One message each is in no range: a message that did not come from the archive splits the
      // gap in two.
      print("\(subject.size) messages, \(subject.holes) holes")
      for index in acts.indices {
        let median = subject.times[index].sorted()[Self.samples / 2]
        acts[index].medians.append(median)
        print("  \(acts[index].name): \(microseconds(median)) µs")
      }
      await subject.account.close()
    }
    print("largest/smallest (goal: at most \(Self.goal))")
    for act in acts { print("  \(act.name): \(String(format: "%.2f", act.ratio))") }
    return acts.allSatisfy { $0.ratio <= Self.goal }
  }

  private func message(_ number: Int) -> IncomingMessage {
    IncomingMessage(
      conversation: contact.bare, sender: contact,
      body: "message \(number): what is in a name \(number % 977) but a rose \(number % 8191)",
      sentAt: Date(timeIntervalSince1970: 1_600_000_000 + Double(number)), originID: "o\(number)",
      stanzaID: "s\(number)")
  }

  private func fill(_ account: AccountDatabase, to size: Int) async throws {
    for start in stride(from: 0, to: size, by: 5000) {
      _ = try await account.messages.insert(
        (start..<min(start + 5000, size)).map(message), countsUnread: { _ in false })
    }
    let ranges = min(Self.ranges, (sizes.min() ?? size) / 10)
    for index in 0..<ranges {
      // The last message before the next range is in none.
      let (first, next) = (size * index / ranges, size * (index + 1) / ranges)
      _ = try await account.archiveRanges.insert(
        [],
        making: ArchiveRange(
          archive: owner, start: position(first), end: position(next - 2),
          reachesBeginning: index == 0),
        absorbing: [], beginningWithFirst: false, adjoining: .unknown, countsUnread: { _ in false })
    }
  }

  private func position(_ number: Int) -> ArchivePosition {
    ArchivePosition(id: "s\(number)", at: message(number).sentAt)
  }

  /// A database, and the times of each operation in it, by operation.
  private struct Subject {
    let size: Int
    let account: AccountDatabase
    let history: ArchiveService
    var holes = 0
    var times: [[Duration]] = [[], [], []]
  }

  private func subject(_ account: AccountDatabase, size: Int) -> Subject {
    Subject(
      size: size, account: account,
      history: ArchiveService(
        ArchivePorts(
          account: owner, store: account.archiveRanges, deliveries: account.outbox,
          copies: CarbonCopies(log: .none), hub: EventHub(), log: .none)))
  }

  /// Performs each operation once.
  private func measure(_ subject: inout Subject, _ sample: Int) async throws {
    let (clock, account, history) = (ContinuousClock(), subject.account, subject.history)
    var page: [Message] = []
    var holes = 0
    subject.times[0].append(
      try await clock.measure {
        page = try await account.timeline.latest(Self.pageSize, in: contact)
        holes = try await history.holes(in: contact.bare).count
      })
    subject.holes = holes
    // At another position each time, far from the end.
    let middle = Double(subject.size * sample / Self.samples)
    let position = MessagePosition(
      at: Date(timeIntervalSince1970: 1_600_000_000 + middle),
      id: page.first?.id ?? Message.ID(0))
    subject.times[1].append(
      try await clock.measure {
        _ = try await account.timeline.messages(before: position, Self.pageSize, in: contact)
        _ = try await history.holes(in: contact.bare)
      })
    let news = message(subject.size + sample)
    subject.times[2].append(
      try await clock.measure {
        _ = try await account.messages.insert([news], countsUnread: { _ in true })
      })
  }

  private func microseconds(_ duration: Duration) -> String {
    String(format: "%.0f", duration / .microseconds(1))
  }
  private func milliseconds(_ duration: Duration) -> String {
    String(format: "%.0f", duration / .milliseconds(1))
  }
}

/// `natter-bench store [SIZE...]`: sizes in messages, smallest first; exits with 1 if an
/// operation's time grows with the size.
func runStoreBenchmark(arguments: [String]) async throws {
  let sizes = arguments.compactMap { Int($0) }.filter { $0 > 0 }
  let isFlat = try await StoreBenchmark(
    sizes: sizes.isEmpty ? [10_000, 100_000, 1_000_000] : sizes.sorted()
  ).run()
  exit(isFlat ? 0 : 1)
}

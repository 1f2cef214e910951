import Foundation
import NatterCore
import Storage
import XMPP

/// How long the everyday acts on a conversation take as it grows.
struct StoreBenchmark {
  /// Messages to each page, as a screen and a half shows.
  private static let pageSize = 60
  /// How often an act is measured: the median counts.
  private static let samples = 41

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
  private let contact = JID(local: "juliet", domain: "example.org", resource: "phone")

  /// Prints a table: acts, sizes, microseconds, ratios.
  func run() async throws {
    var acts = ["open the last page", "go back one page", "insert one"].map { Act(name: $0) }
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "natter-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    for size in sizes {
      let account = try await AccountDatabase.open(
        at: directory.appending(path: "\(size).db").path)
      let filling = try await ContinuousClock().measure { try await fill(account, to: size) }
      print("\(size) messages, filled in \(milliseconds(filling)) ms")
      let medians = try await measure(account, size: size)
      for index in acts.indices {
        acts[index].medians.append(medians[index])
        print("  \(acts[index].name): \(microseconds(medians[index])) µs")
      }
      await account.close()
    }
    print("largest/smallest (goal: at most 1.5)")
    for act in acts { print("  \(act.name): \(String(format: "%.2f", act.ratio))") }
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
  }

  /// The median times of the acts, in their order.
  private func measure(_ account: AccountDatabase, size: Int) async throws -> [Duration] {
    var times: [[Duration]] = [[], [], []]
    let clock = ContinuousClock()
    for sample in 0..<Self.samples {
      var page: [Message] = []
      times[0].append(
        try await clock.measure {
          page = try await account.messages.latest(Self.pageSize, in: contact)
        })
      // Somewhere else each time, far from the end.
      let middle = Date(timeIntervalSince1970: 1_600_000_000 + Double(size * sample / Self.samples))
      let position = MessagePosition(sentAt: middle, id: page.first?.id ?? Message.ID(0))
      times[1].append(
        try await clock.measure {
          _ = try await account.messages.messages(before: position, Self.pageSize, in: contact)
        })
      times[2].append(
        try await clock.measure {
          _ = try await account.messages.insert(
            [message(size + sample)], countsUnread: { _ in true })
        })
    }
    return times.map { $0.sorted()[Self.samples / 2] }
  }

  private func microseconds(_ duration: Duration) -> String {
    String(format: "%.0f", duration / .microseconds(1))
  }
  private func milliseconds(_ duration: Duration) -> String {
    String(format: "%.0f", duration / .milliseconds(1))
  }
}

/// `natter-bench store [SIZE...]`: sizes in messages, smallest first.
func runStoreBenchmark(arguments: [String]) async throws {
  let sizes = arguments.compactMap { Int($0) }.filter { $0 > 0 }
  try await StoreBenchmark(sizes: sizes.isEmpty ? [10_000, 100_000, 1_000_000] : sizes.sorted())
    .run()
}

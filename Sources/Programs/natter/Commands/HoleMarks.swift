import Diagnostics
import FoundationEssentials
import MessagingService
import NatterCore
import Storage
import XMPP

/// The gaps of a conversation as they are known without a connection.
nonisolated struct StoredHoles: Sendable {
  let account: JID
  let database: AccountDatabase

  /// - Throws: `NatterError`.
  func holes(in conversation: JID) async throws -> [HistoryHole] {
    let conversations = database.conversations
    var ports = ArchivePorts(
      account: account, store: database.archiveRanges, deliveries: database.outbox,
      copies: CarbonCopies(log: .none), hub: EventHub(), log: .none)
    ports.memory = database.archiveProgress
    ports.isRoom = { jid in
      // Reading the messages reports the error.
      (try? await conversations.conversation(jid))??.kind == .room
    }
    return try await ArchiveService(ports).holes(in: conversation)
  }
}

/// The gaps that are still to be printed among the messages.
nonisolated struct HoleMarks {
  /// In the order of their beginnings.
  private var waiting: ArraySlice<HistoryHole>
  /// The time of the last printed message; `nil`: nothing was printed, and the period has no
  /// beginning of its own.
  private var previous: Date?

  /// - Parameter end: later gaps do not count.
  init(_ holes: [HistoryHole], before end: Date?) {
    waiting =
      holes.filter { hole in end.map { hole.after < $0 } ?? true }
      .sorted { $0.after < $1.after }[...]
  }

  /// - Parameter start: the beginning of what is printed; `nil`: unknown.
  mutating func begin(at start: Date?) { previous = start }

  /// Returns the gaps before a message at `time` that is printed next.
  mutating func next(before time: Date) -> [HistoryHole] {
    defer { previous = time }
    // There is none before almost every message.
    guard let first = waiting.first, first.after < time else { return [] }
    let passed = waiting.prefix { $0.after < time }
    waiting = waiting.dropFirst(passed.count)
    guard let previous else { return [] }
    return passed.filter { $0.before > previous }
  }

  /// The gaps after the last printed message.
  var rest: [HistoryHole] {
    guard let previous else { return [] }
    return waiting.filter { $0.before > previous }
  }
}

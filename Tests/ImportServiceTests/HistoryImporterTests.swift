import Foundation
import NatterCore
import Synchronization
import Testing
import TestSupport
import XMPP

@testable import ImportService

/// A history of as many messages as its path says, with other entries in between.
private struct CountedFormat: HistoryFormat {
  static let name = "counted"
  let count: Int

  static func recognizes(_ path: String) -> Bool { Int(path) != nil }
  init(path: String, context: ImportContext) throws { count = Int(path) ?? 0 }

  func read(_ take: (ImportItem) throws -> Void) throws {
    for number in 0..<count {
      var message = ImportedMessage(
        account: number % 10 == 9 ? Histories.bob : nil, conversation: Histories.tea, kind: .room,
        direction: .incoming, sentAt: Histories.date(Double(number)), precision: .second,
        body: "\(number)")
      message.nick = "carol"
      try take(.message(message))
    }
    for number in 0..<7 { try take(.refused(place: "counted:\(number)")) }
    try take(.skipped)
    if count == 5 { throw ImportFailure.damaged(path: "5") }
  }
}

/// Stores entries in memory; the second time none is new.
private final class MemoryImports: ImportStoring {
  struct State {
    var entries: [HistoryEntry] = []
    var batches: [String] = []
    var ended: [Int64] = []
    var chunks: [Int] = []
  }
  let state = Mutex(State())
  /// Called after each chunk.
  let onAdd: @Sendable (Int) throws -> Void

  init(onAdd: @escaping @Sendable (Int) throws -> Void = { _ in }) { self.onAdd = onAdd }

  func beginImport(format: String, path: String, at date: Date) async throws -> Int64 {
    state.withLock {
      $0.batches.append("\(format) \(path)")
      return Int64($0.batches.count)
    }
  }

  func add(_ entries: [HistoryEntry], to batch: Int64, shownSince: Date) async throws
    -> ImportTally
  {
    let tally = try await preview(entries)
    let count = state.withLock {
      $0.entries += entries
      $0.chunks.append(entries.count)
      return $0.chunks.count
    }
    try onAdd(count)
    return tally
  }

  func endImport(_ batch: Int64) async throws { state.withLock { $0.ended.append(batch) } }

  func preview(_ entries: [HistoryEntry]) async throws -> ImportTally {
    state.withLock { state in
      let known = Set(state.entries)
      let new = entries.filter { !known.contains($0) }
      return ImportTally(added: new.count, known: entries.count - new.count)
    }
  }

  func imports() async throws -> [ImportBatch] { [] }
  func undoImport(_ batch: Int64) async throws -> Int? { nil }
}

@Suite struct HistoryImporterTests {
  private let context = Histories.context()

  private func source(_ count: Int) -> HistoryImporter.Source {
    HistoryImporter.Source(path: String(count), format: CountedFormat.self)
  }

  @Test func `a history is stored in pieces, and reported as it goes`() async throws {
    let store = MemoryImports()
    let reports = Mutex<[Int]>([])
    let selection = ImportSelection(account: Histories.alice)
    let report = try await HistoryImporter(store: store).run(source(2500), selection, context) {
      report in reports.withLock { $0.append(report.messages) }
    }
    #expect(report.tally.added == 2250 && report.foreign == 250 && report.skipped == 1)
    #expect(report.refused == 7 && report.locations == (0..<5).map { "counted:\($0)" })
    #expect(report.batch == 1 && report.failure == nil && !report.isCancelled)
    #expect(store.state.withLock(\.chunks) == [1000, 1000, 250])
    #expect(store.state.withLock(\.batches) == ["counted 2500"])
    #expect(store.state.withLock(\.ended) == [1])
    #expect(reports.withLock { $0 }.last == 2500 && reports.withLock { $0.count } == 3)
    let first = try #require(store.state.withLock(\.entries).first)
    #expect(first.message.sender == Histories.tea.with(resource: "carol"))
    #expect(first.message.isDelayed && first.message.isArchived && first.delivery == .sent)

    let again = try await HistoryImporter(store: store).run(source(2500), selection, context)
    #expect(again.tally.added == 0 && again.tally.known == 2250 && again.batch == nil)
  }

  @Test func `the selection leaves out earlier messages and other conversations`() async throws {
    let store = MemoryImports()
    var selection = ImportSelection(account: Histories.alice, owner: Histories.bob)
    selection.since = Histories.date(40)
    let report = try await HistoryImporter(store: store).run(source(50), selection, context)
    #expect(report.tally.added == 10 && report.leftOut == 40 && report.foreign == 0)
    selection.only = Histories.bob
    let none = try await HistoryImporter(store: store).run(source(50), selection, context)
    #expect(none.messages == 50 && none.leftOut == 50 && none.batch == nil)
  }

  @Test func `a nick that no occupant can have is not the room's own word`() {
    var chunk = ImportChunk()
    let selection = ImportSelection(account: Histories.alice)
    for nick in ["carol", nil, "bell\u{7}", String(repeating: "n", count: 1500)] {
      guard
        case .message(var message) = roomMessage("hi", by: nick, at: 1_764_363_850)
      else { continue }
      message.conversation = Histories.tea
      chunk.take(.message(message), selection)
      // Whose an own message is does not depend on the nick.
      message.direction = .outgoing
      chunk.take(.message(message), selection)
    }
    #expect(chunk.refused == 2)
    #expect(
      chunk.locations.map { $0.hasPrefix("tea@rooms.natter.test 2025-11-28T") } == [true, true])
    #expect(chunk.entries.count == 6)
  }

  @Test func `a dry run stores nothing`() async throws {
    let store = MemoryImports()
    let selection = ImportSelection(account: Histories.alice)
    for importer in [HistoryImporter(store: store), HistoryImporter(store: nil)] {
      let report = try await importer.run(source(20), selection, context, isTrial: true)
      #expect(report.tally.added == 18 && report.batch == nil)
    }
    #expect(store.state.withLock(\.batches) == [])
  }

  @Test func `what was read before a failure stays`() async throws {
    let store = MemoryImports()
    let report = try await HistoryImporter(store: store).run(
      source(5), ImportSelection(account: Histories.alice), context)
    #expect(report.tally.added == 5 && report.failure == .damaged(path: "5"))
    #expect(store.state.withLock(\.ended) == [1] && !report.isUseless)
  }

  @Test func `a cancelled import keeps its batch`() async throws {
    let (started, begin) = AsyncStream<Void>.makeStream()
    let store = MemoryImports { _ in begin.yield() }
    let work = Task {
      try await HistoryImporter(store: store).run(
        source(10_000_000), ImportSelection(account: Histories.alice), context)
    }
    for await _ in started { break }
    work.cancel()
    let report = try await work.value
    #expect(report.isCancelled && report.batch == 1 && report.tally.added >= 1000)
    #expect(store.state.withLock(\.ended) == [1])
  }

  @Test func `a full disk ends the import with its error`() async throws {
    struct DiskFull: Error {}
    let store = MemoryImports { if $0 == 2 { throw DiskFull() } }
    await #expect(throws: DiskFull.self) {
      try await HistoryImporter(store: store).run(
        source(5000), ImportSelection(account: Histories.alice), context)
    }
    #expect(store.state.withLock(\.ended) == [1])
  }

  @Test func `the owners of a history are found before it is imported`() async throws {
    let importer = HistoryImporter(store: nil)
    #expect(
      try await importer.owners(of: source(50), for: Histories.alice, context) == [Histories.bob])
    #expect(try await importer.owners(of: source(5), for: Histories.alice, context) == [])
    let export = HistoryImporter.Source(
      path: Histories.path("xep0227/export.xml"), format: XEP0227Format.self)
    #expect(
      try await importer.owners(of: export, for: Histories.bob, context) == [Histories.bob])
    #expect(
      try await importer.owners(of: export, for: Histories.tea, context)
        == [Histories.alice, Histories.bob])
  }

  @Test func `histories are found in their usual folders`() throws {
    let home = try TemporaryFolder("home")
    defer { home.remove() }
    try home.makeFolder(".local/share")
    try home.makeFolder(".mcabber")
    try FileManager.default.copyItem(
      atPath: Histories.path("profanity"), toPath: home.path(".local/share/profanity"))
    try FileManager.default.copyItem(
      atPath: Histories.path("mcabber"), toPath: home.path(".mcabber/histo"))
    let found = KnownHistories.sources(["HOME": home.root.path])
    let names = found.map { "\($0.format.name) \($0.path.replacing(home.root.path, with: ""))" }
    #expect(names.sorted() == ["mcabber /.mcabber/histo", "profanity /.local/share/profanity"])
    #expect(KnownHistories.sources(["HOME": home.path("nothing")]).isEmpty)
  }

  @Test func `the paths that are searched are below the folders of the environment`() {
    let paths = KnownHistories.paths(["HOME": "/home/me"])
    #expect(paths.contains("/home/me/.local/share/profanity"))
    #expect(paths.contains("/home/me/.purple/logs"))
    let moved = KnownHistories.paths(["HOME": "/home/me", "XDG_DATA_HOME": "/data"])
    #expect(moved.contains("/data/psi*/profiles/*/history"))
    #expect(moved.contains("/home/me/.mcabber/histo") && moved.count == paths.count)
    #expect(KnownHistories.paths([:]).isEmpty)
  }

  @Test(arguments: ["nothing", "empty", "text", "folder"])
  func `anything else has no format`(name: String) throws {
    let folder = try TemporaryFolder("other")
    defer { folder.remove() }
    try folder.write("", to: "empty")
    try folder.write("Hello\n", to: "text")
    try folder.write("Hello\n", to: "folder/file")
    #expect(HistoryFormats.format(of: folder.path(name)) == nil)
  }
}

import BridgeService
import FoundationEssentials
import Glibc
import ImportService
import JSONLines
import NatterCore
import Storage
import Synchronization
import Terminal
import Text
import XMPP

/// Imports histories into an account that this process has open, for clients of the bridge.
nonisolated struct AccountTransfers: HistoryTransferring {
  let account: JID
  let database: AccountDatabase
  let hub: EventHub
  let localizer: Localizer
  /// The languages that the user reads, the preferred one first.
  var languages: [String] = []

  func runImport(_ request: BridgeImport) async throws -> JSONLine {
    let path = ["path": SafeText.line(request.path)]
    guard access(request.path, R_OK) == 0 else {
      let number = errno
      throw BridgeError(
        number == ENOENT ? .notFound : .refused, "the path cannot be read",
        failure: localizer("cli.import-unreadable", path.merging(["reason": String(number)]) { $1 })
      )
    }
    let format =
      request.format.map { HistoryFormats.format(named: $0) }
      ?? HistoryFormats.format(of: request.path)
    guard let format else {
      throw BridgeError(
        .parameters, "the format is not known",
        failure: localizer(
          "cli.import-unknown",
          path.merging(["formats": HistoryFormats.names.joined(separator: ", ")]) { $1 }),
        details: ["path": .text(request.format == nil ? "path" : "format")])
    }
    var context = context
    context.ownNames = Set(request.names)
    context.password = request.password
    if let zone = request.zone {
      guard let zone = HistoryZone(zone) else {
        throw BridgeError.parameter("zone", "is neither a known zone nor an offset from UTC")
      }
      context.offset = zone.offsets
    }
    let source = HistoryImporter.Source(path: request.path, format: format)
    var selection = ImportSelection(
      account: account, owner: try await owner(request, source, context))
    selection.since = request.since
    selection.only = request.only
    var report = try await run(source, selection, context, isTrial: request.isTrial)
    if report.failure == nil, AccountArchive.isArchive(source) { report.archive = .merged(.inUse) }
    let (localizer, account, finished) = (localizer, account, report)
    return await MainActor.run {
      ImportPrinter(localizer: localizer, isJSON: true, isTrial: request.isTrial)
        .object(of: finished, account)
    }
  }

  /// The facts for readers, without those that the user gives.
  var context: ImportContext {
    var context = ImportContext()
    context.account = account
    context.newestSchema = AccountDatabase.newestSchema
    context.offset = HistoryZone.here
    context.languages = languages
    return context
  }

  /// Imports a history, and announces what it has stored, also before it throws.
  /// - Parameter progress: gets the report after each piece.
  /// - Throws: `StorageError`.
  func run(
    _ source: HistoryImporter.Source, _ selection: ImportSelection, _ context: ImportContext,
    isTrial: Bool = false, progress: @escaping @Sendable (ImportReport) -> Void = { _ in }
  ) async throws -> ImportReport {
    let stored = Mutex<Set<JID>>([])
    return try await announcing {
      try await HistoryImporter(store: database.imports).run(
        source, selection, context, isTrial: isTrial
      ) { report in
        stored.withLock { $0 = report.tally.conversations }
        progress(report)
      }
    } by: { _ in
      if !isTrial { try await show(stored.withLock { $0 }) }
    }
  }

  func undoImport(_ batch: Int) async throws -> Int? {
    let known = Set(try await database.conversations.conversations().map(\.jid))
    return try await announcing {
      try await database.imports.undoImport(Int64(batch))
    } by: { removed in
      let left = try await database.conversations.conversations()
      hub.publish(.conversationsRemoved(Array(known.subtracting(left.map(\.jid)))))
      // Where it failed, a part of it may be removed.
      let isUnchanged = removed.map { ($0 ?? 0) == 0 } ?? false
      if !isUnchanged { hub.publish(.historyImported(left.map(\.jid))) }
    }
  }

  /// Changes what is stored, and announces that, also before it throws.
  /// - Parameter announce: gets the result of `change`; `nil`: it has failed.
  /// - Throws: the first error.
  private func announcing<Value: Sendable>(
    _ change: () async throws -> Value, by announce: (Value?) async throws -> Void
  ) async throws -> Value {
    let value: Value
    do { value = try await change() } catch {
      // This error is the cause, and the one to report.
      try? await announce(nil)
      throw error
    }
    try await announce(value)
    return value
  }

  /// Returns the account whose messages are imported.
  /// - Throws: `BridgeError.Code.parameters` for a history of other accounts.
  private func owner(
    _ request: BridgeImport, _ source: HistoryImporter.Source, _ context: ImportContext
  ) async throws -> JID {
    if let owner = request.owner { return owner }
    let owners = try await HistoryImporter(store: nil)
      .otherOwners(of: source, than: account, context)
    guard owners.isEmpty else {
      throw BridgeError.parameter(
        "owner", "the history belongs to " + owners.map(\.description).joined(separator: ", "))
    }
    return account
  }

  /// Shows the conversations that an import has created, unless they are hidden, and what it has
  /// added to those that are open.
  private func show(_ imported: Set<JID>) async throws {
    let shown = try await database.conversations.conversations().filter {
      imported.contains($0.jid)
    }
    if !shown.isEmpty { hub.publish(.conversationsChanged(shown)) }
    if !imported.isEmpty { hub.publish(.historyImported(Array(imported))) }
  }
}

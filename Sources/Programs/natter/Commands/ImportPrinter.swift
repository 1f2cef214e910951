import ImportService
import JSONLines
import NatterCore
import Terminal
import Text
import ViewModels
import XMPP

/// Prints the results of `natter import`: lines for people, or objects for programs.
struct ImportPrinter {
  let localizer: Localizer
  let isJSON: Bool
  let isTrial: Bool

  /// - Throws: `CommandFailure` when it cannot be written.
  func print(_ report: ImportReport, of account: JID) throws {
    let text = isJSON ? object(of: report, account).text : lines(of: report)
    try StandardStreams.report(text, localizer)
  }

  /// Prints for people what another process has imported.
  /// - Parameter sentence: why the history could not be read to its end; `nil`: it could.
  /// - Throws: `CommandFailure` when it cannot be written.
  func print(_ report: ImportReport, sentence: String?) throws {
    try StandardStreams.report(lines(of: report, sentence: sentence), localizer)
  }

  /// Returns the text for people; what comes from the history is made safe.
  /// - Parameter given: why the history could not be read to its end, instead of the report's.
  func lines(of report: ImportReport, sentence given: String? = nil) -> String {
    let path = SafeText.line(report.path)
    if case .restored(let unsent) = report.archive {
      return restored(report, path, unsent: unsent).joined(separator: "\n")
    }
    var lines = [
      localizer(
        isTrial ? "cli.import-trial" : "cli.import-done",
        [
          "path": path, "format": report.format, "added": String(report.tally.added),
          "known": String(report.tally.known),
        ])
    ]
    for (key, count) in [
      ("cli.import-left-out", report.leftOut), ("cli.import-foreign", report.foreign),
      ("cli.import-skipped", report.skipped),
    ] where count > 0 {
      lines.append("  " + localizer(key, ["count": String(count)]))
    }
    if report.refused > 0 {
      let locations = report.locations.map { SafeText.line($0) }.joined(separator: ", ")
      lines.append(
        "  "
          + localizer(
            "cli.import-refused", ["count": String(report.refused), "locations": locations]))
    }
    if let sentence = given.map(SafeText.line) ?? report.failure.map({ sentence(for: $0, report) })
    {
      lines.append("  " + sentence)
    }
    if case .merged(let reason) = report.archive {
      lines.append("  " + localizer(Self.key(of: reason)))
    }
    if let batch = report.batch {
      lines.append("  " + localizer("cli.import-undo", ["batch": String(batch)]))
    }
    return lines.joined(separator: "\n")
  }

  private static func key(of reason: ImportReport.MergeReason) -> String {
    switch reason {
    case .data: "cli.import-merged-data"
    case .options: "cli.import-merged-options"
    case .account: "cli.import-merged-account"
    case .database: "cli.import-merged-database"
    case .inUse: "cli.import-merged-in-use"
    }
  }

  /// Returns the lines of an archive that was restored.
  private func restored(_ report: ImportReport, _ path: String, unsent: Int) -> [String] {
    var lines = [
      localizer(
        isTrial ? "cli.import-restore-trial" : "cli.import-restored",
        ["path": path, "count": String(report.tally.added)])
    ]
    if unsent > 0 {
      lines.append("  " + localizer("cli.import-unsent", ["count": String(unsent)]))
    }
    for (key, count) in [
      ("cli.import-files", report.files), ("cli.import-lost-files", report.lostFiles),
    ] where count > 0 {
      lines.append("  " + localizer(key, ["count": String(count)]))
    }
    if !isTrial { lines.append("  " + localizer("cli.import-restored-undo")) }
    return lines
  }

  private func sentence(for failure: ImportFailure, _ report: ImportReport) -> String {
    let error = failure.error(of: report)
    return localizer(error.key, error.arguments.mapValues { SafeText.line($0) })
  }

  /// The object of a report for programs (interface.md, "Output for programs").
  func object(of report: ImportReport, _ account: JID) -> JSONLine {
    JSONLine {
      $0.add("path", report.path)
      $0.add("format", report.format)
      $0.add("account", account.description)
      $0.add("batch", report.batch.map { Int($0) })
      if let isRestored = isRestored(report) { $0.add("restored", isRestored) }
      $0.add("added", report.tally.added)
      $0.add("known", report.tally.known)
      $0.add("conversations", report.tally.conversations.count)
      $0.add("left_out", report.leftOut)
      $0.add("foreign", report.foreign)
      $0.add("skipped", report.skipped)
      $0.add("refused", report.refused)
      $0.add("locations", report.locations)
      if case .restored = report.archive {
        $0.add("files", report.files)
        $0.add("lost_files", report.lostFiles)
      }
      $0.add("cancelled", report.isCancelled)
      $0.add("trial", isTrial)
      $0.add("error", report.failure.map { sentence(for: $0, report) })
      $0.add("failure", report.failure?.outputName)
    }
  }

  /// Returns whether an archive was restored; `nil`: it is no archive.
  private func isRestored(_ report: ImportReport) -> Bool? {
    switch report.archive {
    case .restored: true
    case .merged: false
    case nil: nil
    }
  }

  /// Prints a history that was found: format, number of messages, path.
  func printFound(_ report: ImportReport) throws {
    guard !isJSON else {
      let object = JSONLine {
        $0.add("format", report.format)
        $0.add("path", report.path)
        $0.add("messages", report.messages)
      }
      return try StandardStreams.report(object.text, localizer)
    }
    try StandardStreams.report(
      "\(report.format)\t\(report.messages)\t\(SafeText.line(report.path))", localizer)
  }

  func printUndone(_ batch: Int64, _ count: Int, of account: JID) throws {
    guard !isJSON else {
      let object = JSONLine {
        $0.add("account", account.description)
        $0.add("batch", Int(batch))
        $0.add("removed", count)
      }
      return try StandardStreams.report(object.text, localizer)
    }
    try StandardStreams.report(
      localizer("cli.import-undone", ["batch": String(batch), "count": String(count)]), localizer)
  }

  /// Reports a path that cannot be read.
  /// - Parameter number: `errno`.
  func reportUnreadable(_ path: String, _ number: Int32) {
    say("cli.import-unreadable", ["path": SafeText.line(path), "reason": String(number)])
  }

  /// Reports a path without a known format, and what was looked for.
  func reportUnknown(_ path: String) {
    say(
      "cli.import-unknown",
      ["path": SafeText.line(path), "formats": HistoryFormats.names.joined(separator: ", ")])
  }

  private func say(_ key: String, _ arguments: [String: String]) {
    StandardStreams.printError("natter: " + localizer(key, arguments))
  }
}

extension ImportFailure {
  /// Returns the error for the user. Its arguments are untrusted.
  nonisolated func error(of report: ImportReport) -> NatterError {
    switch self {
    case .unsupportedVersion(let version):
      NatterError(
        .invalidInput, "cli.import-version", ["version": version, "format": report.format])
    case .unreadable(let path, let reason):
      NatterError(.storage, "cli.import-unreadable", ["path": path, "reason": reason])
    case .newerVersion(let path): NatterError(.invalidInput, "cli.import-newer", ["path": path])
    case .damaged(let path): NatterError(.invalidInput, "cli.import-damaged", ["path": path])
    case .archive(let path): NatterError(.invalidInput, "cli.import-archive", ["path": path])
    case .password: NatterError(.invalidInput, "cli.import-password")
    case .missingLibrary(let name): NatterError(.refused, "cli.import-library", ["name": name])
    }
  }

  /// The name in the output for programs.
  fileprivate var outputName: String {
    switch self {
    case .unsupportedVersion, .newerVersion: "version"
    case .unreadable: "unreadable"
    case .damaged, .archive: "damaged"
    case .password: "password"
    case .missingLibrary: "library"
    }
  }
}

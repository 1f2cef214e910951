import FoundationEssentials
import NatterCore
import XMPP

/// Writes the messages of conversations in a format that is text.
package struct HistoryExport {
  private let source: any ExportSource
  private let period: ExportPeriod
  private let report: (ExportProgress) -> Void

  /// - Parameter report: called after each page of messages.
  package init(
    of source: any ExportSource, in period: ExportPeriod = ExportPeriod(),
    report: @escaping (ExportProgress) -> Void = { _ in }
  ) {
    self.source = source
    self.period = period
    self.report = report
  }

  /// Writes the objects of the output for programs: a line that describes the export, then one for
  /// each message.
  /// - Parameters:
  ///   - date: the time of the export.
  ///   - print: writes a line.
  /// - Throws: the errors of the source and of `print`; `CancellationError`.
  package func writeJSONLines(
    at date: Date, _ print: @escaping (String) throws -> Void
  ) async throws {
    try await write(JSONLinesWriter(account: source.account, date: date, print: print))
  }

  /// Writes lines to read.
  /// - Throws: as `writeJSONLines`.
  package func writeText(
    _ lines: any ExportLines, _ print: @escaping (String) throws -> Void
  ) async throws {
    try await write(
      TextWriter(
        lines: lines, hasHeadings: source.conversations.count > 1, print: print))
  }

  /// Writes a page for a browser, complete in itself.
  /// - Parameter date: the time of the export.
  /// - Throws: as `writeJSONLines`.
  package func writePage(
    at date: Date, _ wording: any ExportWording, _ print: @escaping (String) throws -> Void
  ) async throws {
    try await write(
      PageWriter(
        account: source.account, conversations: source.conversations, date: date,
        wording: wording, print: print))
  }

  private func write(_ first: some ExportWriter) async throws {
    var writer = first
    var progress = ExportProgress()
    try writer.begin()
    for conversation in source.conversations {
      progress.conversation = conversation
      try writer.begin(conversation)
      try await source.read(conversation.jid, in: period) { page in
        try Task.checkCancellation()
        for item in page {
          try writer.add(item, of: conversation)
          if case .message = item { progress.messages += 1 }
        }
        report(progress)
      }
      try writer.end(conversation)
    }
    try Task.checkCancellation()
    try writer.end()
  }
}

/// Makes the lines of one format.
protocol ExportWriter {
  /// Writes the beginning.
  mutating func begin() throws
  /// Begins a conversation.
  mutating func begin(_ conversation: ExportedConversation) throws
  /// Writes a message or a gap.
  mutating func add(_ item: ExportItem, of conversation: ExportedConversation) throws
  /// Ends a conversation.
  mutating func end(_ conversation: ExportedConversation) throws
  /// Writes the end.
  mutating func end() throws
}

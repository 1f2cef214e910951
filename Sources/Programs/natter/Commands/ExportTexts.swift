import ExportService
import FoundationEssentials
import NatterCore
import Terminal
import Text
import ViewModels
import XMPP

/// The texts of an export, in the user's language and zone.
nonisolated struct ExportTexts: ExportWording, ExportLines {
  let names: StoredNames

  private var format: ItemFormat { names.format }
  private var localizer: Localizer { format.localizer }

  // MARK: - Lines

  func lines(of message: Message) -> String { MessageLines(names: names).lines(of: message) }

  func heading(of conversation: ExportedConversation) -> String {
    "== \(SafeText.line(conversation.name)) <\(SafeText.line(conversation.jid.shown))> =="
  }

  var gap: String { localizer("cli.history-missing") }

  // MARK: - Pages

  var language: String { localizer.tag }

  func label(_ label: ExportLabel) -> String {
    switch label {
    case .title(let account): localizer("export.title", ["account": account])
    case .exported(let moment):
      localizer("export.when", ["day": moment.title, "time": moment.time])
    case .conversations: localizer("export.conversations")
    case .gap: gap
    case .edited: localizer("timeline.edited")
    case .queued: localizer("export.queued")
    case .failed(let reason): localizer("export.failed", ["reason": reason])
    }
  }

  func moment(_ date: Date) -> ExportMoment {
    // With the year, even where that is the current one: the page is read later.
    ExportMoment(
      day: format.dayNumber(date), title: format.day(date, now: .distantPast),
      time: format.time(date))
  }

  func speaker(of message: Message) -> String { names.speaker(of: message) }

  func name(of sender: JID, in conversation: JID) -> String {
    names.name(of: sender, in: conversation)
  }

  func text(of message: Message) -> String {
    switch message.retraction {
    case .author: localizer("timeline.deleted")
    case .moderator: localizer("timeline.deletedByModerator")
    case nil:
      format.text(of: message, by: speaker(of: message), now: message.sentAt)
        .withoutEmptyLinesAround
    }
  }

  func facts(of file: SharedFile) -> String { format.facts(of: file) }

  func links(in text: Substring) -> [Range<String.Index>] { LinkFinder.ranges(in: text) }
}

nonisolated extension HistoryExport {
  /// Writes the messages in a format that is text; of an archive, its lines.
  /// - Parameter date: the time of the export.
  /// - Throws: the errors of the source and of `print`; `CancellationError`.
  func write(
    as format: ExportFormat, at date: Date, _ texts: ExportTexts,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    switch format {
    case .text: try await writeText(texts, print)
    case .html: try await writePage(at: date, texts, print)
    case .jsonl, .archive: try await writeJSONLines(at: date, print)
    }
  }
}

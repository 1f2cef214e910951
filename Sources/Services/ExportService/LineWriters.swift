import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// Writes the objects of the output for programs. Gaps are not messages, and have no line: an
/// import could not restore them.
struct JSONLinesWriter: ExportWriter {
  /// The number of the format, in its first line.
  static let version = 1

  let account: JID
  let date: Date
  let print: (String) throws -> Void

  func begin() throws {
    try print(
      JSONLine {
        $0.add("natter-export", Self.version)
        $0.add("account", account.description)
        $0.add("at", date)
      }.text)
  }

  func begin(_ conversation: ExportedConversation) {}

  func add(_ item: ExportItem, of conversation: ExportedConversation) throws {
    guard case .message(let message, let first) = item else { return }
    try print(JSONLine(message, of: account, kind: conversation.kind, first: first).text)
  }

  func end(_ conversation: ExportedConversation) {}
  func end() {}
}

/// Writes lines to read.
struct TextWriter: ExportWriter {
  let lines: any ExportLines
  /// Indicates whether a line names each conversation.
  let hasHeadings: Bool
  let print: (String) throws -> Void
  private var isFirst = true

  init(
    lines: any ExportLines, hasHeadings: Bool, print: @escaping (String) throws -> Void
  ) {
    self.lines = lines
    self.hasHeadings = hasHeadings
    self.print = print
  }

  func begin() {}

  mutating func begin(_ conversation: ExportedConversation) throws {
    guard hasHeadings else { return }
    if !isFirst { try print("") }
    isFirst = false
    try print(lines.heading(of: conversation))
  }

  func add(_ item: ExportItem, of conversation: ExportedConversation) throws {
    switch item {
    case .message(let message, _): try print(lines.lines(of: message))
    case .gap: try print(lines.gap)
    }
  }

  func end(_ conversation: ExportedConversation) {}
  func end() {}
}

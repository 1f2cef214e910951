import NatterCore

// The commands that write history into files, and read it from them.
enum HistoryFileCommands {
  static let all = [export, load]

  /// `/export [text|html|jsonl|cancel] [FILE]`: writes this conversation into a new file.
  private static let export = Command("export", [.exportFormat, .path]) { call, context in
    try context.tools.historyFiles.run(try HistoryFileRequest(exporting: call.rest))
  }

  /// `/import FILE|undo|cancel`: imports the history of another program, or undoes the last import.
  private static let load = Command("import", [.path, .importOperation], required: 1) {
    call, context in
    try context.tools.historyFiles.run(try HistoryFileRequest(importing: call.rest))
  }
}

/// A request of `/export` or `/import`.
nonisolated package enum HistoryFileRequest: Hashable, Sendable {
  /// - Parameter path: as typed; `nil`: a new file in the download folder.
  case export(HistoryFileFormat?, path: String?)
  case load(path: String)
  case undo
  case cancel

  /// The operations beside paths.
  static let exportWords = HistoryFileFormat.allCases.map(\.rawValue) + ["cancel"]
  static let importWords = ["undo", "cancel"]

  /// - Parameter text: the text after `/export`.
  /// - Throws: `NatterError` for an archive, which is no file of one conversation.
  package init(exporting text: String) throws(NatterError) {
    let (first, rest) = CommandCall(rest: text).split
    guard first.lowercased() != "cancel" || !rest.isEmpty else {
      self = .cancel
      return
    }
    guard first.lowercased() != "archive" else {
      throw NatterError(.invalidInput, "error.historyFile.archive")
    }
    if first.isEmpty {
      self = .export(.text, path: nil)
    } else if let format = HistoryFileFormat(rawValue: first.lowercased()) {
      self = .export(format, path: rest.isEmpty ? nil : DroppedPath.path(in: rest) ?? rest)
    } else {
      self = .export(nil, path: DroppedPath.path(in: text) ?? text)
    }
  }

  /// - Parameter text: the text after `/import`.
  /// - Throws: `NatterError` without a path.
  package init(importing text: String) throws(NatterError) {
    switch text.lowercased() {
    case "": throw NatterError(.invalidInput, "error.historyFile.path")
    case "undo": self = .undo
    case "cancel": self = .cancel
    default: self = .load(path: DroppedPath.path(in: text) ?? text)
    }
  }
}

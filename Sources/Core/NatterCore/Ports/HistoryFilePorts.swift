import XMPP

/// A format in which one conversation is exported.
package enum HistoryFileFormat: String, CaseIterable, Sendable {
  /// Lines to read.
  case text
  /// A page for a browser.
  case html
  /// A JSON object for each message, which can be imported again.
  case jsonl
}

/// The file that an export has written.
package struct ExportedHistory: Hashable, Sendable {
  /// The absolute path.
  package let path: String
  package let format: HistoryFileFormat
  /// The number of messages in it.
  package let messages: Int

  package init(path: String, format: HistoryFileFormat, messages: Int) {
    (self.path, self.format, self.messages) = (path, format, messages)
  }
}

/// The result of an import.
package struct ImportedHistory: Hashable, Sendable {
  /// The file or folder.
  package let path: String
  /// The name of its format.
  package let format: String
  /// The number of new messages, and of those that were stored already.
  package var added = 0
  package var known = 0
  /// The number of messages of other accounts, which are left out.
  package var foreign = 0
  /// The number of entries that could not be read, and where the first one is; untrusted.
  package var refused = 0
  package var location: String?
  /// Indicates that it is an archive of Natter, of which only the messages were imported.
  package var isArchive = false
  /// Indicates that it was cancelled: what was stored until then stays.
  package var isCancelled = false
  /// Why it could not be read to its end; `nil`: it was.
  package var failure: NatterError?

  package init(path: String, format: String) { (self.path, self.format) = (path, format) }
}

/// An import that was undone.
package struct UndoneImport: Hashable, Sendable {
  /// The file or folder that was imported.
  package let path: String
  /// The number of messages that were removed.
  package let messages: Int

  package init(path: String, messages: Int) { (self.path, self.messages) = (path, messages) }
}

/// Exports the history of a conversation into a file, and imports histories, for the user of a
/// screen. None of it runs on the main actor. All functions throw `NatterError`.
package protocol HistoryFiling: Sendable {
  /// Writes the stored messages of a conversation into a new file, which appears when it is whole.
  /// - Parameters:
  ///   - format: `nil`: by the ending of `path`.
  ///   - path: the absolute path; `nil`: a new file in the download folder.
  ///   - progress: gets the number of messages that were written, now and then.
  /// - Throws: `CancellationError`: no file was written.
  func export(
    _ conversation: JID, as format: HistoryFileFormat?, to path: String?,
    progress: @escaping @Sendable (Int) -> Void
  ) async throws -> ExportedHistory
  /// Imports the file or folder at an absolute path.
  /// - Parameter progress: gets the number of messages that were read, now and then.
  func importHistory(
    at path: String, progress: @escaping @Sendable (Int) -> Void
  ) async throws -> ImportedHistory
  /// Removes what the newest import has added.
  /// - Returns: `nil` if there is none.
  func undoLastImport() async throws -> UndoneImport?
}

/// A history of another program in its usual file or folder.
package struct FoundHistory: Hashable, Sendable {
  /// Absolute; untrusted.
  package let path: String
  /// The name of its format.
  package let format: String

  package init(path: String, format: String) { (self.path, self.format) = (path, format) }
}

/// The messages of a history that can be imported, as they were counted.
package struct HistoryContent: Hashable, Sendable {
  /// The number of messages that could be read.
  package let messages: Int
  /// Indicates whether nothing of it could be read, although it has something.
  package let isUseless: Bool
  /// Why it could not be read to its end; `nil`: it was.
  package let failure: NatterError?

  package init(messages: Int, isUseless: Bool = false, failure: NatterError? = nil) {
    self.messages = messages
    self.isUseless = isUseless
    self.failure = failure
  }
}

/// Finds the histories that can be imported, for the user of a screen. None of it runs on the main
/// actor.
package protocol HistoryFinding: Sendable {
  /// The paths that are searched; a star matches any name.
  var searched: [String] { get }
  /// Returns the histories of other programs in their usual files and folders.
  func find() async -> [FoundHistory]
  /// Counts the messages of a history. This reads all of it, and stores nothing.
  /// - Throws: `CancellationError`; `NatterError`.
  func content(of history: FoundHistory) async throws -> HistoryContent
  /// Returns the import that `HistoryFiling.undoLastImport` undoes; `nil` if there is none.
  /// - Throws: `NatterError`.
  func newestImport() async throws -> ImportBatch?
}

import NatterCore
import XMPP

/// Lists the files that were sent and received, and finds those that are still on this disk.
package struct FileHistory: FileHistoryReading {
  private let store: any FileHistoryStoring

  package init(store: any FileHistoryStoring) { self.store = store }

  /// Returns the files that match `filter`, with the paths of those that are readable on this disk.
  package func files(_ filter: FileFilter, at position: FilePosition, limit: Int) async throws
    -> [OfferedFile]
  {
    let messages = try await store.messages(offering: filter, at: position, limit: limit)
    let paths = try await store.paths(of: messages)
    return messages.compactMap { message in
      OfferedFile(
        message, localPath: paths[message.id].flatMap { DiskPath.isReadable($0) ? $0 : nil })
    }
  }

  /// Returns the totals of the files that match `filter`.
  package func totals(of filter: FileFilter) async throws -> FileTotals {
    try await store.totals(of: filter)
  }

  /// Returns the conversations with files.
  package func conversations() async throws -> [JID] { try await store.conversationsWithFiles() }
}

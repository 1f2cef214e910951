import NatterCore
import XMPP

/// Who reads an archive, one after the other.
///
/// Between a query and the write of its result, no other task may change what is known of the
/// archive: two tasks on one gap would store a page twice, the later one as if the earlier did not
/// exist, and its messages would move.
extension ArchiveSynchronizer {
  /// Runs `body` while no other task reads the archive and stores its pages. Not reentrant.
  func queued<Result>(of archive: JID, _ body: () async throws -> Result) async rethrows -> Result {
    // Each access ends: a query ends with its connection, or by its timeout.
    try await serializer.serialized(archive, body)
  }
}

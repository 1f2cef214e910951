import NatterCore
import XMPP

/// Who reads an archive, one after the other.
///
/// Between a question and the moment when its answer is stored, nobody else may change what is known of the archive: two who look
/// at one hole would store one page twice, the later one as if the earlier one had not been, and its messages would change
/// their places.
extension ArchiveSynchronizer {
  /// Runs `body` when nobody else reads the archive and stores what it has. Not again from within.
  func inTurn<Result>(of archive: JID, _ body: () async throws -> Result) async rethrows -> Result {
    // Whoever has it gives it back: each question ends with its connection, or when its time is over.
    try await turns.inTurn(archive, body)
  }
}

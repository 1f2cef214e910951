import NatterCore
import XMPP

/// The result of the import of a history, so far or at its end.
package struct ImportReport: Hashable, Sendable {
  /// The most refused entries whose location is kept.
  package static let locationLimit = 5

  /// The file or folder.
  package var path: String
  /// The name of its format.
  package var format: String
  /// The batch that `undoImport` takes; `nil`: nothing was stored.
  package var batch: ImportBatch.ID?
  /// New messages and known ones.
  package var tally = ImportTally()
  /// Entries that are no messages.
  package var skipped = 0
  /// Messages that the options leave out.
  package var leftOut = 0
  /// Messages of other accounts.
  package var foreign = 0
  /// Entries that could not be read, and the location of the first ones.
  package var refused = 0
  package var locations: [String] = []
  /// Indicates that it was cancelled: the messages that it stored until then stay.
  package var isCancelled = false
  /// Why the history could not be read to its end; `nil`: it was.
  package var failure: ImportFailure?
  /// How the archive of an account was imported; `nil`: it is none, or was not imported.
  package var archive: ArchiveUse?

  /// The downloaded files of a restored account that were put into the folder of downloads, and
  /// those that were not, although the archive has them.
  package var files = 0
  package var lostFiles = 0

  /// A way to import the archive of an account.
  package enum ArchiveUse: Hashable, Sendable {
    /// The account was restored from its database.
    /// - Parameter unsent: the messages that had not been sent when it was made.
    case restored(unsent: Int)
    /// Its messages were added, and nothing else.
    case merged(MergeReason)
  }

  /// A reason why only the messages of an archive are imported.
  package enum MergeReason: Hashable, Sendable, CaseIterable {
    /// The account has data already.
    case data
    /// Options leave out messages.
    case options
    /// It is another account's archive.
    case account
    /// It has no database.
    case database
    /// A running Natter has the account open.
    case inUse
  }

  package init(path: String, format: String) {
    self.path = path
    self.format = format
  }

  /// All messages that were read.
  package var messages: Int { tally.added + tally.known + leftOut + foreign }

  /// Indicates whether nothing of it could be used.
  package var isUseless: Bool { messages == 0 && (refused > 0 || failure != nil) }

  mutating func add(_ chunk: ImportChunk) {
    skipped += chunk.skipped
    leftOut += chunk.leftOut
    foreign += chunk.foreign
    refused += chunk.refused
    locations += chunk.locations.prefix(Self.locationLimit - locations.count)
  }
}

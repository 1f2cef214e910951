import XMPP

/// An archive of an account whose parts are as its description says, for restoring the account.
package struct AccountArchive: Sendable {
  package let path: String
  /// The account, bare; `nil`: the archive does not say which.
  package let account: JID?
  private let file: HistoryFile
  private let archive: NatterArchive

  /// Returns whether a file is to be read as an archive.
  package static func isArchive(_ source: HistoryImporter.Source) -> Bool {
    source.format == NatterFormat.self && NatterArchive.isTar(source.path)
  }

  /// Checks the whole archive, which takes as long as reading it.
  /// - Parameter newestSchema: the newest schema of the database that can be read.
  /// - Throws: `ImportFailure`; `.newerVersion` for another form or schema.
  package init(_ path: String, newestSchema: Int) throws {
    self.path = path
    file = try HistoryFile(path)
    archive = try NatterArchive(file, newestSchema: newestSchema)
    account = archive.account
  }

  /// Indicates whether it has the account's database.
  package var hasDatabase: Bool { archive.store != nil }

  /// Calls `take` with the bytes of the database, one piece after the other.
  /// - Throws: `ImportFailure`; `.archive` also if the file has changed meanwhile: what was taken
  ///   is of no use then. What `take` throws; `CancellationError`.
  package func readDatabase(_ take: ([UInt8]) throws -> Void) throws {
    guard let store = archive.store else {
      throw ImportFailure.archive(path: "\(path): \(NatterArchive.storeName)")
    }
    var offset = 0
    while offset < store.size {
      try Task.checkCancellation()
      let bytes = try file.bytes(
        at: store.offset + offset, count: min(HistoryFile.pieceByteCount, store.size - offset))
      guard !bytes.isEmpty else { break }
      try take(bytes)
      offset += bytes.count
    }
    try archive.check(store, in: file)
  }
}

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
    try read(store, take)
    try archive.check(store, in: file)
  }

  /// A downloaded file in the archive.
  package struct DownloadedFile: Sendable {
    fileprivate let entry: NatterArchive.Entry
    /// Its SHA-256 in hexadecimal.
    package var digest: String { String(entry.name.dropFirst("files/".count)) }
    package var byteCount: Int { entry.size }
  }

  /// The number of paths of downloaded files that the archive has.
  package var fileCount: Int { archive.files.count }

  /// Returns the file that was downloaded to a path where the archive was made; `nil`: it is not in
  /// the archive.
  package func downloadedFile(_ path: String) -> DownloadedFile? {
    archive.files[Array(path.utf8)].map { DownloadedFile(entry: $0) }
  }

  /// Calls `take` with the bytes of a downloaded file, one piece after the other. Its digest is not
  /// checked again.
  /// - Throws: `ImportFailure`, what `take` throws, `CancellationError`.
  package func read(_ file: DownloadedFile, _ take: ([UInt8]) throws -> Void) throws {
    try read(file.entry, take)
  }

  private func read(_ entry: NatterArchive.Entry, _ take: ([UInt8]) throws -> Void) throws {
    var offset = 0
    while offset < entry.size {
      try Task.checkCancellation()
      let bytes = try file.bytes(
        at: entry.offset + offset, count: min(HistoryFile.pieceByteCount, entry.size - offset))
      guard !bytes.isEmpty else { break }
      try take(bytes)
      offset += bytes.count
    }
  }
}

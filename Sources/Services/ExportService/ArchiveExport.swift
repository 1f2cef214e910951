import Crypto
import FoundationEssentials
import Glibc
import JSONLines
import NatterCore
import System
import XMPP

/// Writes everything that is stored of an account into a tar archive: the description
/// `manifest.json`, the database `store.db`, the messages in `messages.jsonl`, and the downloaded
/// files, each as `files/` and its SHA-256 in hexadecimal. The description says which path of the
/// database is which of these files.
package struct ArchiveExport {
  /// The number of the format, in the description.
  package static let version = 1

  /// The outcome of an export.
  package struct Summary: Hashable, Sendable {
    /// The downloaded files in the archive, the same contents once.
    package var files = 0
    /// The downloaded files that could not be read any more, or that the description has no room
    /// for.
    package var missingFiles = 0
  }

  private let store: any ExportStoring
  private let date: Date
  private let includesFiles: Bool
  private let report: (ExportProgress) -> Void
  /// The most bytes that the files have in the description, which is read whole.
  var descriptionLimit = 8 << 20

  /// - Parameters:
  ///   - date: the time of the export.
  ///   - includesFiles: whether downloaded files are parts of it.
  ///   - report: called after each page of messages, and before other parts.
  package init(
    of store: any ExportStoring, at date: Date, includesFiles: Bool,
    report: @escaping (ExportProgress) -> Void = { _ in }
  ) {
    self.store = store
    self.date = date
    self.includesFiles = includesFiles
    self.report = report
  }

  /// Writes the archive. A copy of the database is beside the file meanwhile; one that an ended
  /// program left there is replaced.
  /// - Throws: `ExportFailure`, `CryptoError`, the errors of the store; `CancellationError`.
  package func write(to file: ExportFile) async throws -> Summary {
    let copy = file.part + ".db"
    defer { unlink(copy) }
    report(ExportProgress())
    let source: any ExportSource
    do { source = try await store.writeCopy(to: copy) } catch ExportFailure.file(var failure) {
      // The user knows the archive only, which is in the same folder.
      failure.path = file.path
      throw ExportFailure.file(failure)
    }
    let paths = includesFiles ? try await store.downloadedPaths() : []
    var files = described(paths)
    let tar = TarWriter(file: file, modified: Int(date.timeIntervalSince1970))
    // The digests are all of one length, so that the description does not become longer.
    let nothing = [UInt8](repeating: 0, count: HashFunction.sha256.byteCount)
    let description = try tar.begin("manifest.json")
    try file.write(manifest(of: source.account, store: nothing, messages: nothing, files: files))
    try tar.end(description)
    let stored = try add(copy, as: "store.db", to: tar)
    let messages = try await addMessages(of: source, to: tar)
    var summary = try addFiles(&files, to: tar)
    summary.missingFiles += paths.count - files.count
    try tar.end()
    try tar.replaceContents(
      of: description,
      with: manifest(of: source.account, store: stored, messages: messages, files: files))
    return summary
  }

  /// A downloaded file in the description.
  private struct DownloadedFile {
    let path: String
    /// The SHA-256; zeros: it is not in the archive.
    var digest = [UInt8](repeating: 0, count: HashFunction.sha256.byteCount)

    var object: JSONLine {
      JSONLine {
        $0.add("path", path)
        $0.add("sha256", hex(digest))
      }
    }
  }

  /// Returns as many downloaded files as the description can have.
  private func described(_ paths: [String]) -> [DownloadedFile] {
    var files: [DownloadedFile] = []
    var size = 0
    for path in paths {
      let file = DownloadedFile(path: path)
      size += file.object.text.utf8.count + 1
      guard size <= descriptionLimit else { break }
      files.append(file)
    }
    return files
  }

  private func manifest(
    of account: JID, store: [UInt8], messages: [UInt8], files: [DownloadedFile]
  ) -> [UInt8] {
    let object = JSONLine {
      $0.add("natter-archive", Self.version)
      $0.add("schema", self.store.schema)
      $0.add("account", account.description)
      $0.add("at", date)
      $0.add("parts") {
        $0.add("store.db", hex(store))
        $0.add("messages.jsonl", hex(messages))
      }
      guard includesFiles else { return }
      $0.add("files", files.map(\.object))
    }
    return Array((object.text + "\n").utf8)
  }

  /// Adds a file.
  /// - Returns: its SHA-256.
  private func add(_ path: String, as name: String, to tar: TarWriter) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(tar.file) }
    defer { close(descriptor) }
    let part = try tar.begin(name)
    guard try pass(descriptor, to: tar.file) else { throw failure(tar.file) }
    let digest = try tar.digest(of: part)
    try tar.end(part)
    return digest
  }

  /// Adds the messages in the output for programs.
  /// - Returns: the SHA-256 of the part.
  private func addMessages(of source: any ExportSource, to tar: TarWriter) async throws -> [UInt8] {
    let part = try tar.begin("messages.jsonl")
    try await HistoryExport(of: source, report: report).writeJSONLines(at: date) { line in
      try tar.file.print(line)
    }
    let digest = try tar.digest(of: part)
    try tar.end(part)
    return digest
  }

  /// Adds the downloaded files, and notes their digests. Those that cannot be read are counted: the
  /// user may move and delete them.
  private func addFiles(_ files: inout [DownloadedFile], to tar: TarWriter) throws -> Summary {
    var summary = Summary()
    var known: Set<[UInt8]> = []
    for index in files.indices {
      let descriptor = open(files[index].path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
      var information = stat()
      guard descriptor >= 0, fstat(descriptor, &information) == 0,
        information.st_mode & S_IFMT == S_IFREG
      else {
        if descriptor >= 0 { close(descriptor) }
        summary.missingFiles += 1
        continue
      }
      defer { close(descriptor) }
      let part = try tar.begin("files/")
      guard try pass(descriptor, to: tar.file) else {
        try tar.drop(part)
        summary.missingFiles += 1
        continue
      }
      let digest = try tar.digest(of: part)
      files[index].digest = digest
      if known.insert(digest).inserted {
        try tar.end(part, name: "files/" + hex(digest))
        summary.files += 1
      } else {
        try tar.drop(part)
      }
    }
    return summary
  }

  /// The bytes of a file that are copied at once.
  private static let pieceSize = 256 << 10

  /// Copies everything from a descriptor.
  /// - Returns: `false` if it cannot be read.
  private func pass(_ descriptor: CInt, to file: ExportFile) throws -> Bool {
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    while true {
      try Task.checkCancellation()
      let count = read(descriptor, &piece, piece.count)
      if count == 0 { return true }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      try file.write(piece[..<count])
    }
  }

  private func failure(_ file: ExportFile) -> ExportFailure {
    .file(PrivateFile.Failure(file.path, errno: errno))
  }
}

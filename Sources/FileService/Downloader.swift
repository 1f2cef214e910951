import Glibc
import NatterCore

/// Brings one file from the web to the disk.
struct Downloader: Sendable {
  let transport: any FileTransporting
  let checksums: Checksums
  let sizeLimit: Int
  let sleep: @Sendable (Duration) async throws -> Void

  /// Fetches what is missing of the file, checks it and gives it its name.
  /// - Parameter expected: the digest that its sender told.
  /// - Parameter onEntityTag: called with what the server calls this version, before its bytes come.
  /// - Returns: where it is now.
  /// - Throws: `NatterError`: what has come is kept, unless it is not what was promised; `CancellationError`.
  func fetch(
    _ address: String, to target: TargetFile, expected: String?, entityTag: String?,
    sizeLimit: Int? = nil,
    onEntityTag: (String?) async -> Void,
    onBegin: @Sendable (any TransferHolding) -> Void,
    onProgress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws -> (path: String, byteCount: Int) {
    let limit = min(sizeLimit ?? .max, self.sizeLimit)
    let (descriptor, there) = try target.openPart()
    defer { close(descriptor) }
    var held = there
    var entityTag = entityTag
    var attempt = 0
    /// Whether some of it came by an earlier request.
    var isPieced = false
    while true {
      do {
        let remote = try await describe(address)
        if let count = remote.byteCount, count > limit {
          throw NatterError(
            .refused, "error.files.tooLargeHere",
            ["size": String(count), "limit": String(limit)], retry: .never)
        }
        // What is here of another version is of no use.
        if held > 0, remote.entityTag != entityTag || held > remote.byteCount ?? .max { held = 0 }
        entityTag = remote.entityTag
        await onEntityTag(entityTag)
        isPieced = held > 0
        if held == 0 || held != remote.byteCount {
          held = try await transport.get(
            address, into: descriptor, held: held, entityTag: entityTag, sizeLimit: limit,
            onBegin: onBegin, onProgress: onProgress)
        }
        if try await isPromised(descriptor, held, expected) { break }
        guard isPieced else {
          target.removePart()
          throw NatterError(.refused, "error.files.hash", retry: .byUser)
        }
        // The pieces may be of different files: once more, and in one.
        held = 0
        guard ftruncate(descriptor, 0) == 0 else { throw Self.unwritable() }
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        let told = NatterError(telling: error, key: "error.files.download")
        guard told.retry == .automatic, attempt < Uploader.pauses.count else { throw told }
        try await sleep(Uploader.pauses[attempt])
        attempt += 1
        held = Self.size(of: descriptor)
      }
    }
    guard fsync(descriptor) == 0 else { throw Self.unwritable() }
    // Whoever does not want it any more finds nothing of it.
    try Task.checkCancellation()
    return (try target.finish(), held)
  }

  private func describe(_ address: String) async throws -> RemoteFile {
    do {
      return try await transport.describe(address)
    } catch {
      let told = NatterError(telling: error, key: "error.files.download")
      // Some servers know no HEAD: then nothing is known before it comes.
      if error is CancellationError || told.retry != .byUser { throw error }
      return RemoteFile(byteCount: nil)
    }
  }

  /// Whether the part is what its sender described, as far as he did.
  private func isPromised(
    _ descriptor: CInt, _ byteCount: Int, _ expected: String?
  ) async throws -> Bool {
    guard let expected else { return true }
    return try await checksums.sha256(of: descriptor, byteCount: byteCount) == expected
  }

  private static func size(of descriptor: CInt) -> Int {
    var found = stat()
    return fstat(descriptor, &found) == 0 ? Int(found.st_size) : 0
  }

  private static func unwritable() -> NatterError {
    NatterError(
      .storage, errno == ENOSPC ? "error.files.diskFull" : "error.files.unwritable",
      ["reason": String(cString: strerror(errno))])
  }
}

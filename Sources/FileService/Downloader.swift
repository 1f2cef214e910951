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
        if held == 0 || held != remote.byteCount {
          held = try await transport.get(
            address, into: descriptor, held: held, entityTag: entityTag, sizeLimit: limit,
            onBegin: onBegin, onProgress: onProgress)
        }
        break
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
    try await check(descriptor, held, expected, target)
    guard fsync(descriptor) == 0 else {
      throw NatterError(
        .storage, errno == ENOSPC ? "error.files.diskFull" : "error.files.unwritable",
        ["reason": String(cString: strerror(errno))])
    }
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

  private func check(
    _ descriptor: CInt, _ byteCount: Int, _ expected: String?, _ target: TargetFile
  ) async throws {
    guard let expected else { return }
    let found = try await checksums.sha256(of: descriptor, byteCount: byteCount)
    guard found != expected else { return }
    target.removePart()
    throw NatterError(.refused, "error.files.hash", retry: .byUser)
  }

  private static func size(of descriptor: CInt) -> Int {
    var found = stat()
    return fstat(descriptor, &found) == 0 ? Int(found.st_size) : 0
  }
}

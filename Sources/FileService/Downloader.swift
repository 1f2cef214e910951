import Glibc
import NatterCore

/// Brings one file from the web to the disk.
struct Downloader: Sendable {
  let transport: any FileTransporting
  let checksums: Checksums
  let sleep: @Sendable (Duration) async throws -> Void
  /// How many bytes are free on the disk of an open file; `nil`: nobody knows.
  let room: @Sendable (CInt) -> Int?

  /// Fetches what is missing of the file, checks it and gives it its name.
  /// - Parameters:
  ///   - claimed: the digest that its sender told. One of a kind that is not to be had here counts for nothing.
  ///   - validator: which version is here, as the server told earlier.
  ///   - promised: how many bytes its sender told. Counts where no digest says more.
  ///   - sizeLimit: bytes that it may have; `nil`: as many as the disk takes.
  ///   - onVersion: called with what tells this version from others, before its bytes come.
  /// - Returns: where it is now.
  /// - Throws: `NatterError`: what has come is kept, unless it is not what was promised; `CancellationError`.
  func fetch(
    _ address: String, to target: TargetFile, expected claimed: FileDigest?, validator: String?,
    promised: Int? = nil, sizeLimit: Int? = nil,
    onVersion: (String?) async -> Void,
    onBegin: @Sendable (any TransferHolding) -> Void,
    onProgress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws -> (path: String, byteCount: Int) {
    let limit = sizeLimit ?? .max
    let expected = checksums.checkable(claimed)
    let (descriptor, there) = try target.openPart()
    defer { close(descriptor) }
    var held = there
    var validator = validator
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
        // Told before the disk is full, which other programs would suffer from.
        let here = Self.size(of: descriptor)
        if let count = remote.byteCount, let free = room(descriptor), count - here > free {
          if here == 0 { target.removePart() }
          throw NatterError(
            .storage, "error.files.noRoom",
            ["size": String(count), "free": String(free), "folder": target.folder],
            retry: .byUser)
        }
        // What is here of another version is of no use, nor is what nobody can tell from another version.
        if remote.validator != validator || held > remote.byteCount ?? .max { held = 0 }
        if remote.validator == nil, expected == nil { held = 0 }
        validator = remote.validator
        await onVersion(validator)
        isPieced = held > 0
        if held == 0 || held != remote.byteCount {
          // Without a digest nothing longer than its sender told is what he told of; and what ends nowhere ends before the disk.
          let most = expected == nil ? promised : nil
          let free = remote.byteCount == nil ? room(descriptor).map { held + $0 - $0 / 10 } : nil
          do {
            held = try await transport.get(
              address, into: descriptor, held: held, validator: validator,
              sizeLimit: min(limit, most ?? .max, free ?? .max), onBegin: onBegin,
              onProgress: onProgress)
          } catch {
            guard Self.isTooLarge(error), limit > min(most ?? .max, free ?? .max) else {
              throw error
            }
            target.removePart()
            guard let free, free < most ?? .max else {
              throw NatterError(.refused, "error.files.hash", retry: .byUser)
            }
            throw NatterError(
              .storage, "error.files.endless",
              ["free": String(free), "folder": target.folder], retry: .byUser)
          }
        }
        switch try await judge(descriptor, held, expected, promised, of: remote) {
        case .whole: return try finish(target, descriptor, held)
        case .short: throw NatterError(.offline, "error.files.incomplete", retry: .automatic)
        case .different: break
        }
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
        try await sleep(Uploader.pause(after: attempt, told))
        attempt += 1
        held = Self.size(of: descriptor)
      }
    }
  }

  private static func isTooLarge(_ error: any Error) -> Bool {
    NatterError(telling: error, key: "error.files.download").key == "error.http.tooLarge"
  }

  private func finish(
    _ target: TargetFile, _ descriptor: CInt, _ byteCount: Int
  ) throws -> (path: String, byteCount: Int) {
    guard fsync(descriptor) == 0 else { throw Self.unwritable() }
    // Whoever does not want it any more finds nothing of it.
    try Task.checkCancellation()
    return (try target.finish(), byteCount)
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

  /// What the part is, measured by what its sender described and what the server tells of it.
  private enum Verdict {
    case whole
    /// The server gave less than there is: the rest may still come.
    case short
    /// It is not what its sender described.
    case different
  }

  private func judge(
    _ descriptor: CInt, _ byteCount: Int, _ expected: FileDigest?, _ promised: Int?,
    of remote: RemoteFile
  ) async throws -> Verdict {
    if let expected,
      try await checksums.digest(
        of: descriptor, byteCount: byteCount, by: expected.algorithm) == expected
    {
      return .whole
    }
    // A reply that tells no length and ends early looks like a whole one.
    if let count = promised ?? remote.byteCount, byteCount < count, byteCount != remote.byteCount {
      return .short
    }
    return expected == nil && byteCount == promised ?? byteCount ? .whole : .different
  }

  /// What whoever is not root may still write to the disk of an open file.
  static func room(of descriptor: CInt) -> Int? {
    var found = statvfs()
    guard fstatvfs(descriptor, &found) == 0 else { return nil }
    let (bytes, isMore) = Int(found.f_bavail).multipliedReportingOverflow(by: Int(found.f_frsize))
    return isMore ? nil : bytes
  }

  private static func size(of descriptor: CInt) -> Int {
    var found = stat()
    return fstat(descriptor, &found) == 0 ? Int(found.st_size) : 0
  }

  private static func unwritable() -> NatterError {
    NatterError(
      .storage, errno == ENOSPC ? "error.files.diskFull" : "error.files.unwritable",
      ["reason": String(errno)])
  }
}

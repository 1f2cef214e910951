import Glibc
import NatterCore

/// Downloads one file from the web to the disk.
struct Downloader: Sendable {
  let transport: any FileTransporting
  let checksums: Checksums
  let sleep: @Sendable (Duration) async throws -> Void
  /// Returns the free bytes on the disk of an open file; `nil` if unknown.
  let room: @Sendable (CInt) -> Int?

  /// The download with its expected size and digest.
  private struct Request {
    let target: TargetFile
    let expected: FileDigest?
    let promised: Int?
    let limit: Int
    let onBegin: @Sendable (any TransferHolding) -> Void
    let onProgress: @Sendable (Int, Int?) -> Void
  }

  /// The version of the bytes in the partial file, and the source that they came from.
  struct Held: Equatable {
    var source: String
    var validator: String?
  }

  /// Downloads the missing bytes of the file, checks it and gives it its name. If a source fails
  /// the next is tried; after the last, those with temporary errors are tried again after a pause.
  /// - Parameters:
  ///   - sources: the addresses, the best first; at least one.
  ///   - claimed: the digests that the sender stated, the strongest first. The first that can be
  ///     computed here counts.
  ///   - held: the source and version of the bytes that are already here. That source is tried
  ///     first.
  ///   - promised: the byte count that the sender stated. It counts where no digest decides.
  ///   - sizeLimit: the maximum size in bytes; `nil`: as much as the disk takes.
  ///   - onVersion: called with the source and the validator of its version before its bytes
  ///     arrive.
  /// - Returns: the final path, and the size in bytes.
  /// - Throws: `NatterError`: received bytes are kept unless they contradict the sender's
  ///   description; `CancellationError`.
  func fetch(
    from sources: [String], to target: TargetFile, expected claimed: [FileDigest],
    held before: Held, promised: Int? = nil, sizeLimit: Int? = nil,
    onVersion: (Held) async -> Void,
    onBegin: @escaping @Sendable (any TransferHolding) -> Void,
    onProgress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws -> (path: String, byteCount: Int) {
    let request = Request(
      target: target, expected: checksums.checkable(claimed), promised: promised,
      limit: sizeLimit ?? .max, onBegin: onBegin, onProgress: onProgress)
    var held = before
    // Existing bytes are continued from their own source.
    var left = sources.filter { $0 == before.source } + sources.filter { $0 != before.source }
    var attempt = 0
    while true {
      var failures: [(source: String, error: NatterError)] = []
      for source in left {
        var again = 0
        while true {
          // Bytes from another source say nothing about the progress of this one.
          let before = held.source == source ? Self.byteCount(in: target) : 0
          do {
            return try await once(source, request, &held, onVersion: onVersion)
          } catch is CancellationError {
            throw CancellationError()
          } catch {
            let reported = NatterError(reporting: error, key: "error.files.download")
            // An error of the local disk is the same for every source.
            guard reported.kind != .storage else { throw reported }
            // Without a digest to compare the sources by, only the source of the first part can
            // supply the rest.
            guard request.expected == nil, sources.count > 1, reported.retry == .automatic,
              Self.byteCount(in: target) > before
            else {
              failures.append((source, reported))
              break
            }
            try await sleep(TransferPauses.pause(after: again, reported))
            again += 1
          }
        }
      }
      let again = failures.filter { $0.error.retry == .automatic }
      guard let reported = (again.first ?? failures.first)?.error else { throw Self.unwritable() }
      guard !again.isEmpty, attempt < TransferPauses.all.count else { throw reported }
      try await sleep(TransferPauses.pause(after: attempt, reported))
      attempt += 1
      left = again.map(\.source)
    }
  }

  /// Makes one attempt with one source.
  private func once(
    _ source: String, _ request: Request, _ held: inout Held, onVersion: (Held) async -> Void
  ) async throws -> (path: String, byteCount: Int) {
    let (descriptor, here) = try request.target.openPart()
    defer {
      // An empty partial file is not kept.
      var found = stat()
      if fstat(descriptor, &found) == 0, found.st_size == 0 { request.target.removePart() }
      close(descriptor)
    }
    let remote = try await describe(source)
    if let count = remote.byteCount, count > request.limit {
      throw NatterError(
        .refused, "error.files.tooLargeHere",
        ["size": String(count), "limit": String(request.limit)], retry: .never)
    }
    // Fails before the disk is full, which would harm other programs.
    if let count = remote.byteCount, let free = room(descriptor), count - here > free {
      if here == 0 { request.target.removePart() }
      throw NatterError(
        .storage, "error.files.noRoom",
        ["size": String(count), "free": String(free), "folder": request.target.folder],
        retry: .byUser)
    }
    var count = here
    if held.source != source {
      // Validators of different servers cannot be compared; with a digest the file is continued,
      // and the digest decides.
      if request.expected == nil { count = 0 }
      held = Held(source: source, validator: remote.validator)
    }
    // Bytes of another version are useless, as are those whose version cannot be determined.
    if remote.validator != held.validator || count > remote.byteCount ?? .max { count = 0 }
    if remote.validator == nil, request.expected == nil { count = 0 }
    held.validator = remote.validator
    // Truncates before the version is stored, so that old bytes never count as a part of this
    // version, even if the program ends in between.
    if count == 0, here > 0 { try Self.clear(descriptor) }
    await onVersion(held)
    while true {
      let isPieced = count > 0
      if count == 0 || count != remote.byteCount {
        count = try await get(source, remote, into: descriptor, held: count, request)
      }
      switch try await judge(descriptor, count, request.expected, request.promised, of: remote) {
      case .whole: return try finish(request.target, descriptor, count)
      case .short: throw NatterError(.offline, "error.files.incomplete", retry: .automatic)
      case .different: break
      }
      guard isPieced else {
        request.target.removePart()
        throw NatterError(.refused, "error.files.hash", retry: .byUser)
      }
      // The parts may come from different files: download once more, as a whole.
      count = 0
      try Self.clear(descriptor)
    }
  }

  /// - Parameter held: the bytes of the file that are in the partial file.
  /// - Returns: the bytes that are there afterwards.
  private func get(
    _ source: String, _ remote: RemoteFile, into descriptor: CInt, held: Int, _ request: Request
  ) async throws -> Int {
    // Without a digest, a file longer than the sender stated is not the described file; a body of
    // unknown length stops before the disk is full.
    let most = request.expected == nil ? request.promised : nil
    let free = remote.byteCount == nil ? room(descriptor).map { held + $0 - $0 / 10 } : nil
    do {
      return try await transport.get(
        source, into: descriptor, held: held, validator: remote.validator,
        sizeLimit: min(request.limit, most ?? .max, free ?? .max), onBegin: request.onBegin,
        onProgress: request.onProgress)
    } catch {
      guard Self.isTooLarge(error), request.limit > min(most ?? .max, free ?? .max) else {
        throw error
      }
      request.target.removePart()
      guard let free, free < most ?? .max else {
        throw NatterError(.refused, "error.files.hash", retry: .byUser)
      }
      throw NatterError(
        .storage, "error.files.endless",
        ["free": String(free), "folder": request.target.folder], retry: .byUser)
    }
  }

  /// Returns the bytes in the partial file.
  private static func byteCount(in target: TargetFile) -> Int {
    var found = stat()
    return lstat(target.partPath, &found) == 0 ? Int(found.st_size) : 0
  }

  private static func clear(_ descriptor: CInt) throws {
    guard ftruncate(descriptor, 0) == 0 else { throw unwritable() }
  }

  private static func isTooLarge(_ error: any Error) -> Bool {
    NatterError(reporting: error, key: "error.files.download").key == "error.http.tooLarge"
  }

  private func finish(
    _ target: TargetFile, _ descriptor: CInt, _ byteCount: Int
  ) throws -> (path: String, byteCount: Int) {
    guard fsync(descriptor) == 0 else { throw Self.unwritable() }
    // After a cancellation, no file with the final name appears.
    try Task.checkCancellation()
    return (try target.finish(), byteCount)
  }

  private func describe(_ address: String) async throws -> RemoteFile {
    do {
      return try await transport.describe(address)
    } catch {
      let reported = NatterError(reporting: error, key: "error.files.download")
      // Some servers do not support HEAD; the size is unknown before the download then.
      if error is CancellationError || reported.retry != .byUser { throw error }
      return RemoteFile(byteCount: nil)
    }
  }

  /// The comparison of the partial file with the sender's description and the server's.
  private enum Verdict {
    case whole
    /// The server delivered less than the whole file: the rest may still come.
    case short
    /// The content differs from what the sender described.
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
    // A reply without a length that ends early looks complete.
    if let count = promised ?? remote.byteCount, byteCount < count, byteCount != remote.byteCount {
      return .short
    }
    return expected == nil && byteCount == promised ?? byteCount ? .whole : .different
  }

  /// Returns the bytes that an unprivileged user may still write to the disk of an open file.
  static func room(of descriptor: CInt) -> Int? {
    var found = statvfs()
    guard fstatvfs(descriptor, &found) == 0 else { return nil }
    let (bytes, isMore) = Int(found.f_bavail).multipliedReportingOverflow(by: Int(found.f_frsize))
    return isMore ? nil : bytes
  }

  private static func unwritable() -> NatterError {
    NatterError(
      .storage, errno == ENOSPC ? "error.files.diskFull" : "error.files.unwritable",
      ["reason": String(errno)])
  }
}

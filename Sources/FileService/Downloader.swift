import Glibc
import NatterCore

/// Brings one file from the web to the disk.
struct Downloader: Sendable {
  let transport: any FileTransporting
  let checksums: Checksums
  let sleep: @Sendable (Duration) async throws -> Void
  /// How many bytes are free on the disk of an open file; `nil`: nobody knows.
  let room: @Sendable (CInt) -> Int?

  /// What is to come, and what it is measured by.
  private struct Wish {
    let target: TargetFile
    let expected: FileDigest?
    let promised: Int?
    let limit: Int
    let onBegin: @Sendable (any TransferHolding) -> Void
    let onProgress: @Sendable (Int, Int?) -> Void
  }

  /// Of which version the bytes in the part are, and who gave them.
  struct Held: Equatable {
    var source: String
    var validator: String?
  }

  /// Fetches what is missing of the file, checks it and gives it its name. Where one source does not give it the next is asked;
  /// when all of them were, those that may yet give it are asked again after a while.
  /// - Parameters:
  ///   - sources: where it is, the best first; one at least.
  ///   - claimed: the digests that its sender told, the strongest first. Of those that can be had here the first counts.
  ///   - held: which source has given what is here, and which version of it that is, as it told. It is asked first.
  ///   - promised: how many bytes its sender told. Counts where no digest says more.
  ///   - sizeLimit: bytes that it may have; `nil`: as many as the disk takes.
  ///   - onVersion: called with the source that is asked, and what tells its version from others, before its bytes come.
  /// - Returns: where it is now.
  /// - Throws: `NatterError`: what has come is kept, unless it is not what was promised; `CancellationError`.
  func fetch(
    from sources: [String], to target: TargetFile, expected claimed: [FileDigest],
    held before: Held, promised: Int? = nil, sizeLimit: Int? = nil,
    onVersion: (Held) async -> Void,
    onBegin: @escaping @Sendable (any TransferHolding) -> Void,
    onProgress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws -> (path: String, byteCount: Int) {
    let wish = Wish(
      target: target, expected: checksums.checkable(claimed), promised: promised,
      limit: sizeLimit ?? .max, onBegin: onBegin, onProgress: onProgress)
    var held = before
    // What is here goes on where it came from.
    var left = sources.filter { $0 == before.source } + sources.filter { $0 != before.source }
    var attempt = 0
    while true {
      var failures: [(source: String, error: NatterError)] = []
      for source in left {
        var again = 0
        while true {
          // What another one gave says nothing of this one.
          let before = held.source == source ? Self.byteCount(in: target) : 0
          do {
            return try await once(source, wish, &held, onVersion: onVersion)
          } catch is CancellationError {
            throw CancellationError()
          } catch {
            let told = NatterError(telling: error, key: "error.files.download")
            // What this disk does not take it takes from nobody.
            guard told.kind != .storage else { throw told }
            // Where no digest tells whether two have the same, only who gave some of it can give the rest.
            guard wish.expected == nil, sources.count > 1, told.retry == .automatic,
              Self.byteCount(in: target) > before
            else {
              failures.append((source, told))
              break
            }
            try await sleep(Uploader.pause(after: min(again, Uploader.pauses.count - 1), told))
            again += 1
          }
        }
      }
      let again = failures.filter { $0.error.retry == .automatic }
      guard let told = (again.first ?? failures.first)?.error else { throw Self.unwritable() }
      guard !again.isEmpty, attempt < Uploader.pauses.count else { throw told }
      try await sleep(Uploader.pause(after: attempt, told))
      attempt += 1
      left = again.map(\.source)
    }
  }

  /// One attempt with one source.
  private func once(
    _ source: String, _ wish: Wish, _ held: inout Held, onVersion: (Held) async -> Void
  ) async throws -> (path: String, byteCount: Int) {
    let (descriptor, here) = try wish.target.openPart()
    defer {
      // Where nothing came nothing stays.
      var found = stat()
      if fstat(descriptor, &found) == 0, found.st_size == 0 { wish.target.removePart() }
      close(descriptor)
    }
    let remote = try await describe(source)
    if let count = remote.byteCount, count > wish.limit {
      throw NatterError(
        .refused, "error.files.tooLargeHere",
        ["size": String(count), "limit": String(wish.limit)], retry: .never)
    }
    // Told before the disk is full, which other programs would suffer from.
    if let count = remote.byteCount, let free = room(descriptor), count - here > free {
      if here == 0 { wish.target.removePart() }
      throw NatterError(
        .storage, "error.files.noRoom",
        ["size": String(count), "free": String(free), "folder": wish.target.folder],
        retry: .byUser)
    }
    var count = here
    if held.source != source {
      // Another server's name for a version says nothing here: whether it goes on from there the digest will tell.
      if wish.expected == nil { count = 0 }
      held = Held(source: source, validator: remote.validator)
    }
    // What is here of another version is of no use, nor is what nobody can tell from another version.
    if remote.validator != held.validator || count > remote.byteCount ?? .max { count = 0 }
    if remote.validator == nil, wish.expected == nil { count = 0 }
    held.validator = remote.validator
    // First, so that nobody takes it for a part of this version, whenever the program ends.
    if count == 0, here > 0 { try Self.clear(descriptor) }
    await onVersion(held)
    while true {
      let isPieced = count > 0
      if count == 0 || count != remote.byteCount {
        count = try await get(source, remote, into: descriptor, held: count, wish)
      }
      switch try await judge(descriptor, count, wish.expected, wish.promised, of: remote) {
      case .whole: return try finish(wish.target, descriptor, count)
      case .short: throw NatterError(.offline, "error.files.incomplete", retry: .automatic)
      case .different: break
      }
      guard isPieced else {
        wish.target.removePart()
        throw NatterError(.refused, "error.files.hash", retry: .byUser)
      }
      // The pieces may be of different files: once more, and in one.
      count = 0
      try Self.clear(descriptor)
    }
  }

  /// - Parameter held: how many bytes of it are in the part.
  /// - Returns: how many are there then.
  private func get(
    _ source: String, _ remote: RemoteFile, into descriptor: CInt, held: Int, _ wish: Wish
  ) async throws -> Int {
    // Without a digest nothing longer than its sender told is what he told of; and what ends nowhere ends before the disk.
    let most = wish.expected == nil ? wish.promised : nil
    let free = remote.byteCount == nil ? room(descriptor).map { held + $0 - $0 / 10 } : nil
    do {
      return try await transport.get(
        source, into: descriptor, held: held, validator: remote.validator,
        sizeLimit: min(wish.limit, most ?? .max, free ?? .max), onBegin: wish.onBegin,
        onProgress: wish.onProgress)
    } catch {
      guard Self.isTooLarge(error), wish.limit > min(most ?? .max, free ?? .max) else {
        throw error
      }
      wish.target.removePart()
      guard let free, free < most ?? .max else {
        throw NatterError(.refused, "error.files.hash", retry: .byUser)
      }
      throw NatterError(
        .storage, "error.files.endless",
        ["free": String(free), "folder": wish.target.folder], retry: .byUser)
    }
  }

  /// How many bytes of it are here.
  private static func byteCount(in target: TargetFile) -> Int {
    var found = stat()
    return lstat(target.partPath, &found) == 0 ? Int(found.st_size) : 0
  }

  private static func clear(_ descriptor: CInt) throws {
    guard ftruncate(descriptor, 0) == 0 else { throw unwritable() }
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

  private static func unwritable() -> NatterError {
    NatterError(
      .storage, errno == ENOSPC ? "error.files.diskFull" : "error.files.unwritable",
      ["reason": String(errno)])
  }
}

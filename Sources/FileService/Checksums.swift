import Crypto
import Dispatch
import Glibc
import NatterCore
import Synchronization

/// Digests of files, away from the threads that tasks share: it blocks on the disk.
struct Checksums: Sendable {
  private let crypto: CryptoLibrary
  private let queue = DispatchQueue(label: "natter.checksums", qos: .utility)

  init(crypto: CryptoLibrary) { self.crypto = crypto }

  /// What of a sender's word can be checked with the library that is here.
  func checkable(_ digest: FileDigest?) -> FileDigest? {
    digest.flatMap { crypto.has($0.algorithm.function) ? $0 : nil }
  }

  /// - Returns: `nil` when the file became shorter or cannot be read.
  /// - Throws: `CancellationError`, `CryptoError`.
  func digest(
    of descriptor: CInt, byteCount: Int, by algorithm: FileDigest.Algorithm
  ) async throws -> FileDigest? {
    let flag = Flag()
    let result: Result<[UInt8]?, CryptoError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async { [crypto] in
          do throws(CryptoError) {
            let digest = try crypto.hash(
              descriptor: descriptor, byteCount: byteCount, by: algorithm.function,
              mayGoOn: { !flag.isSet })
            continuation.resume(returning: .success(digest))
          } catch { continuation.resume(returning: .failure(error)) }
        }
      }
    } onCancel: {
      flag.set()
    }
    try Task.checkCancellation()
    return try result.get().map { FileDigest(algorithm, hex($0)) }
  }

  /// `file` with its width and height, where it is a picture that is on this disk.
  func measured(_ file: SharedFile, at path: String) async -> SharedFile {
    guard file.isPicture else { return file }
    return await withCheckedContinuation { continuation in
      queue.async {
        guard let header = Self.header(of: path), let width = header.width,
          let height = header.height, width > 0, height > 0
        else { return continuation.resume(returning: file) }
        continuation.resume(
          returning: SharedFile(
            address: file.address, name: file.name, mediaType: file.mediaType,
            byteCount: file.byteCount, digest: file.digest, width: width, height: height,
            otherAddresses: file.otherAddresses))
      }
    }
  }

  private static func header(of path: String) -> PictureHeader? {
    guard let source = try? SourceFile(path) else { return nil }
    var bytes = [UInt8](repeating: 0, count: min(source.byteCount, PictureHeader.mostRead))
    let count = bytes.withUnsafeMutableBytes {
      pread(source.descriptor, $0.baseAddress, $0.count, 0)
    }
    return PictureHeader(bytes.prefix(max(0, count)))
  }

  /// Copies a file of this disk.
  /// - Parameter digest: what it is to have; `nil`: nobody knows.
  /// - Returns: where the copy is; `nil` when the file is not what it was any more.
  /// - Throws: `NatterError`; nothing is left then.
  func copy(_ source: SourceFile, to target: TargetFile, expecting digest: FileDigest?) async throws
    -> String?
  {
    if let digest = checkable(digest) {
      guard
        try await self.digest(
          of: source.descriptor, byteCount: source.byteCount, by: digest.algorithm) == digest
      else { return nil }
    }
    let result: Result<String?, NatterError> = await withCheckedContinuation { continuation in
      queue.async {
        do {
          try target.fill(from: source)
          guard source.isUnchanged else {
            target.removePart()
            return continuation.resume(returning: .success(nil))
          }
          continuation.resume(returning: .success(try target.finish()))
        } catch {
          target.removePart()
          continuation.resume(
            returning: .failure(NatterError(telling: error, key: "error.files.download")))
        }
      }
    }
    return try result.get()
  }

  private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }
}

extension FileDigest.Algorithm {
  /// What computes it.
  fileprivate var function: HashFunction {
    switch self {
    case .sha256: .sha256
    case .sha512: .sha512
    case .sha3With256: .sha3With256
    case .sha3With512: .sha3With512
    case .blake2b512: .blake2b512
    }
  }
}

import Crypto
import Dispatch
import Glibc
import NatterCore
import Synchronization

/// Computes digests of files on a queue of its own, because it blocks on the disk.
struct Checksums: Sendable {
  private let crypto: CryptoLibrary
  private let has: @Sendable (HashFunction) -> Bool
  private let queue = DispatchQueue(label: "natter.checksums", qos: .utility)

  /// - Parameter has: reports whether a function is available; `nil` asks the library.
  init(crypto: CryptoLibrary, has: (@Sendable (HashFunction) -> Bool)? = nil) {
    self.crypto = crypto
    self.has = has ?? { crypto.has($0) }
  }

  /// Returns the strongest of a sender's digests that the installed library can check; `nil` if
  /// there is none.
  func checkable(_ digests: [FileDigest]) -> FileDigest? {
    digests.first { has($0.algorithm.function) }
  }

  /// Computes the digest of an open file.
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

  /// Returns `file` with its width and height, if it is a picture on this disk.
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
            byteCount: file.byteCount, digests: file.digests, width: width, height: height,
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

  /// Copies a local file.
  /// - Parameter digests: the expected digests, the strongest first; empty if unknown.
  /// - Returns: the path of the copy; `nil` when the file has changed.
  /// - Throws: `NatterError`; no copy is left then.
  func copy(_ source: SourceFile, to target: TargetFile, expecting digests: [FileDigest])
    async throws
    -> String?
  {
    if let digest = checkable(digests) {
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
            returning: .failure(NatterError(reporting: error, key: "error.files.download")))
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
  /// The hash function that computes this digest.
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

import Crypto
import Dispatch
import NatterCore
import Synchronization

/// SHA-256 of files, away from the threads that tasks share: it blocks on the disk.
struct Checksums: Sendable {
  private let crypto: CryptoLibrary
  private let queue = DispatchQueue(label: "natter.checksums", qos: .utility)

  init(crypto: CryptoLibrary) { self.crypto = crypto }

  /// 64 hexadecimal digits; `nil` when the file became shorter or cannot be read.
  /// - Throws: `CancellationError`, `CryptoError`.
  func sha256(of descriptor: CInt, byteCount: Int) async throws -> String? {
    let flag = Flag()
    let result: Result<[UInt8]?, CryptoError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async { [crypto] in
          do throws(CryptoError) {
            let digest = try crypto.hash(
              descriptor: descriptor, byteCount: byteCount, by: .sha256,
              mayGoOn: { !flag.isSet })
            continuation.resume(returning: .success(digest))
          } catch { continuation.resume(returning: .failure(error)) }
        }
      }
    } onCancel: {
      flag.set()
    }
    try Task.checkCancellation()
    return try result.get().map { hex($0) }
  }

  private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }
}

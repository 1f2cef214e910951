import Glibc

/// The source of random bytes, or the reason why it is missing; looked up a single time.
private let randomBinding = Result { () throws(CryptoError) in
  try Binding.function("RAND_bytes", in: try Binding.libraryHandle(), as: FillRandomly.self)
}

private typealias FillRandomly =
  @Sendable @convention(c) (UnsafeMutablePointer<UInt8>?, CInt) -> CInt

/// Returns `count` unpredictable bytes for keys, from libcrypto's generator.
/// - Throws: `CryptoError`; `.failed` for a negative count and for a generator without a seed.
package func secureRandomBytes(_ count: Int) throws(CryptoError) -> [UInt8] {
  let fill = try randomBinding.get()
  guard let capacity = CInt(exactly: count), capacity >= 0 else {
    throw .failed(function: "RAND_bytes")
  }
  var bytes = [UInt8](repeating: 0, count: count)
  guard count == 0 || fill(&bytes, capacity) == 1 else { throw .failed(function: "RAND_bytes") }
  return bytes
}

extension CryptoLibrary {
  /// Returns a key derived from `material` by HKDF with SHA-256 (RFC 5869).
  /// - Parameter byteCount: The length of the key, 0 to 8,160; another one throws
  ///   `CryptoError.failed`.
  package func hkdf(
    _ material: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int
  ) throws(CryptoError) -> [UInt8] {
    let blockByteCount = HashFunction.sha256.byteCount
    guard (0...255 * blockByteCount) ~= byteCount else { throw .failed(function: "HMAC") }
    var extracted = try hmac(material, key: salt, by: .sha256)
    defer { wipe(&extracted) }
    var block: [UInt8] = []
    var key: [UInt8] = []
    // The key is copied nowhere while it grows.
    key.reserveCapacity(byteCount + blockByteCount)
    defer { wipe(&block) }
    var counter: UInt8 = 0
    while key.count < byteCount {
      counter += 1
      var input = block + info + [counter]
      defer { wipe(&input) }
      block = try hmac(input, key: extracted, by: .sha256)
      key += block.prefix(byteCount - key.count)
    }
    return key
  }
}

/// Overwrites `bytes` with zeros, which the compiler does not leave out. Has no effect on copies of
/// the array that share its memory.
func wipe(_ bytes: inout [UInt8]) {
  bytes.withUnsafeMutableBytes { buffer in
    guard let start = buffer.baseAddress else { return }
    explicit_bzero(start, buffer.count)
  }
}

/// The hash functions Natter uses (FIPS 180-4).
package enum HashFunction: String, Hashable, Sendable, CaseIterable {
  case sha1 = "SHA-1"
  case sha256 = "SHA-256"
  case sha512 = "SHA-512"

  /// The length of a digest, in bytes.
  package var byteCount: Int {
    switch self {
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }
}

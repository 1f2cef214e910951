/// The hash functions that Natter uses (FIPS 180-4, FIPS 202, RFC 7693).
package enum HashFunction: String, Hashable, Sendable, CaseIterable {
  case sha1 = "SHA-1"
  case sha256 = "SHA-256"
  case sha512 = "SHA-512"
  case sha3With256 = "SHA3-256"
  case sha3With512 = "SHA3-512"
  case blake2b512 = "BLAKE2b-512"

  /// The length of a digest, in bytes.
  package var byteCount: Int {
    switch self {
    case .sha1: 20
    case .sha256, .sha3With256: 32
    case .sha512, .sha3With512, .blake2b512: 64
    }
  }
}

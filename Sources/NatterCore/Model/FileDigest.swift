import FoundationEssentials
import XMPP

/// What a file is checked by.
package struct FileDigest: Hashable, Sendable {
  /// The hash functions of XEP-0300 that are known here, the strongest first.
  package enum Algorithm: String, Hashable, Sendable, CaseIterable {
    case sha3With512 = "sha3-512"
    case sha512 = "sha-512"
    case blake2b512 = "blake2b-512"
    case sha3With256 = "sha3-256"
    case sha256 = "sha-256"

    /// The length of a digest, in bytes.
    package var byteCount: Int {
      switch self {
      case .sha3With512, .sha512, .blake2b512: 64
      case .sha3With256, .sha256: 32
      }
    }
  }

  package let algorithm: Algorithm
  /// Hexadecimal digits in lower case, two for each byte.
  package let hexadecimal: String

  package init(_ algorithm: Algorithm, _ hexadecimal: String) {
    self.algorithm = algorithm
    self.hexadecimal = hexadecimal
  }

  /// SHA-256, which Natter itself makes of what it sends.
  /// - Parameter hexadecimal: 64 digits in lower case.
  package static func sha256(_ hexadecimal: String) -> FileDigest {
    FileDigest(.sha256, hexadecimal)
  }

  /// The strongest of those that a sender told; `nil` when none is known here, or what it says is no digest.
  package init?(strongestOf digests: [XEP0300Hash]) {
    for algorithm in Algorithm.allCases {
      for digest in digests where digest.algorithm.lowercased() == algorithm.rawValue {
        guard let digits = Self.hexadecimal(base64: digest.value, algorithm.byteCount) else {
          continue
        }
        self.init(algorithm, digits)
        return
      }
    }
    return nil
  }

  /// As it is kept: the digits, and before them the name and a colon of what is not SHA-256.
  package var stored: String {
    algorithm == .sha256 ? hexadecimal : "\(algorithm.rawValue):\(hexadecimal)"
  }

  /// - Parameter stored: what `stored` gave; `nil` for what a newer version has kept of another kind.
  package init?(stored: String) {
    guard let colon = stored.firstIndex(of: ":") else {
      self.init(.sha256, stored)
      return
    }
    guard let algorithm = Algorithm(rawValue: String(stored[..<colon])) else { return nil }
    self.init(algorithm, String(stored[stored.index(after: colon)...]))
  }

  /// As it goes over the wire; `nil` when it holds no digest.
  package var hash: XEP0300Hash? {
    Self.base64(hexadecimal: hexadecimal, algorithm.byteCount)
      .map { XEP0300Hash(algorithm: algorithm.rawValue, value: $0) }
  }

  /// The digest in hexadecimal digits; `nil` when `text` is not the Base64 of that many bytes. Line ends and blanks in it, which
  /// some senders make, are none of it.
  private static func hexadecimal(base64 text: String, _ byteCount: Int) -> String? {
    guard let bytes = Data(base64Encoded: text.filter { !$0.isWhitespace }),
      bytes.count == byteCount
    else { return nil }
    return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func base64(hexadecimal text: String, _ byteCount: Int) -> String? {
    let values = text.compactMap(\.hexDigitValue)
    guard values.count == byteCount * 2, text.count == byteCount * 2 else { return nil }
    let bytes = stride(from: 0, to: values.count, by: 2).map {
      UInt8(values[$0] << 4 | values[$0 + 1])
    }
    return Data(bytes).base64EncodedString()
  }
}

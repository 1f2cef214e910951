import FoundationEssentials
import XMPP

/// A hash that a file is checked against.
package struct FileDigest: Hashable, Sendable {
  /// The supported hash functions of XEP-0300, strongest first.
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
  /// Lower-case hexadecimal digits, two per byte.
  package let hexadecimal: String

  package init(_ algorithm: Algorithm, _ hexadecimal: String) {
    self.algorithm = algorithm
    self.hexadecimal = hexadecimal
  }

  /// A SHA-256 digest, the kind that Natter computes for the files that it sends.
  /// - Parameter hexadecimal: 64 digits in lower case.
  package static func sha256(_ hexadecimal: String) -> FileDigest {
    FileDigest(.sha256, hexadecimal)
  }

  /// The element for the wire; `nil` if `hexadecimal` is not a digest.
  package var hash: XEP0300Hash? {
    Self.base64(hexadecimal: hexadecimal, algorithm.byteCount)
      .map { XEP0300Hash(algorithm: algorithm.rawValue, value: $0) }
  }

  /// Returns the digest as hexadecimal digits; `nil` if `text` is not the Base64 of that many
  /// bytes. Ignores line ends and spaces, which some senders insert.
  fileprivate static func hexadecimal(base64 text: String, _ byteCount: Int) -> String? {
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

extension [FileDigest] {
  /// The valid digests of known kinds among those of the sender: one of each kind, strongest first.
  package init(_ hashes: [XEP0300Hash]) {
    self = FileDigest.Algorithm.allCases.compactMap { algorithm in
      hashes.lazy.filter { $0.algorithm.lowercased() == algorithm.rawValue }
        .compactMap { FileDigest.hexadecimal(base64: $0.value, algorithm.byteCount) }
        .first.map { FileDigest(algorithm, $0) }
    }
  }

  /// The stored form: the digits, several joined by `+`, preceded by their names in the same order
  /// and a colon. SHA-256 alone needs no name. `nil` if there is none.
  package var stored: String? {
    guard !isEmpty else { return nil }
    let digits = map(\.hexadecimal).joined(separator: "+")
    if map(\.algorithm) == [.sha256] { return digits }
    return map(\.algorithm.rawValue).joined(separator: "+") + ":" + digits
  }

  /// - Parameter stored: the value of `stored`. Kinds that a newer version stored are omitted.
  package init(stored: String) {
    guard let colon = stored.firstIndex(of: ":") else {
      self = [.sha256(stored)]
      return
    }
    let names = stored[..<colon].split(separator: "+")
    let digits = stored[stored.index(after: colon)...].split(separator: "+")
    self = zip(names, digits).compactMap { name, digits in
      FileDigest.Algorithm(rawValue: String(name)).map { FileDigest($0, String(digits)) }
    }
  }
}

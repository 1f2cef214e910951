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

  /// As it goes over the wire; `nil` when it holds no digest.
  package var hash: XEP0300Hash? {
    Self.base64(hexadecimal: hexadecimal, algorithm.byteCount)
      .map { XEP0300Hash(algorithm: algorithm.rawValue, value: $0) }
  }

  /// The digest in hexadecimal digits; `nil` when `text` is not the Base64 of that many bytes. Line ends and blanks in it, which
  /// some senders make, are none of it.
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
  /// Of what a sender told, that which is a digest of a kind that is known here: one of each kind, the strongest first.
  package init(_ hashes: [XEP0300Hash]) {
    self = FileDigest.Algorithm.allCases.compactMap { algorithm in
      hashes.lazy.filter { $0.algorithm.lowercased() == algorithm.rawValue }
        .compactMap { FileDigest.hexadecimal(base64: $0.value, algorithm.byteCount) }
        .first.map { FileDigest(algorithm, $0) }
    }
  }

  /// As they are kept: the digits, several joined by `+`, and before them, in the same order, their names and a colon. SHA-256
  /// alone needs no name. `nil` where there is none.
  package var stored: String? {
    guard !isEmpty else { return nil }
    let digits = map(\.hexadecimal).joined(separator: "+")
    if map(\.algorithm) == [.sha256] { return digits }
    return map(\.algorithm.rawValue).joined(separator: "+") + ":" + digits
  }

  /// - Parameter stored: what `stored` gave. What a newer version has kept of another kind is left out.
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

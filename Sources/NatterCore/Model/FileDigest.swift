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

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The digest in hexadecimal digits; `nil` when `text` is not the Base64 of that many bytes.
  private static func hexadecimal(base64 text: String, _ byteCount: Int) -> String? {
    var bits: UInt32 = 0
    var count = 0
    var digits = ""
    for byte in text.utf8 where byte > 0x20 && byte != UInt8(ascii: "=") {
      guard let value = alphabet.firstIndex(of: byte) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      while count >= 4 {
        count -= 4
        digits.append(String(bits >> UInt32(count) & 15, radix: 16))
      }
      bits &= 15
    }
    // What is over of the last character's bits may make a digit of zero.
    if digits.count == byteCount * 2 + 1, digits.last == "0" { digits.removeLast() }
    return digits.count == byteCount * 2 ? digits : nil
  }

  private static func base64(hexadecimal text: String, _ byteCount: Int) -> String? {
    let values = text.compactMap(\.hexDigitValue)
    guard values.count == byteCount * 2, text.count == byteCount * 2 else { return nil }
    var bits = 0
    var count = 0
    var out: [UInt8] = []
    for value in values {
      bits = bits << 4 | value
      count += 4
      if count >= 6 {
        count -= 6
        out.append(alphabet[bits >> count & 63])
        bits &= (1 << count) - 1
      }
    }
    if count > 0 { out.append(alphabet[bits << (6 - count) & 63]) }
    while out.count % 4 != 0 { out.append(UInt8(ascii: "=")) }
    return String(decoding: out, as: UTF8.self)
  }
}

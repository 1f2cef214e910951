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
}

extension [FileDigest] {
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

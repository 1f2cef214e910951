import BoundedText
import Sockets

/// A URL for HTTP (RFC 9110 §4.2): parsed and checked once, so that every user of it sees the same
/// parts.
///
/// It contains no user name, no password and no fragment, and nothing that could end a line.
package struct WebAddress: Hashable, Sendable, CustomStringConvertible {
  /// Indicates whether the scheme is `https`.
  package let isEncrypted: Bool
  /// The host in lower case and ASCII; an IPv6 address without its brackets.
  package let host: String
  package let port: Int
  /// Path and query, from the first slash on.
  package let target: String

  /// - Returns: `nil` for another scheme, a user name in the URL, no host, control characters, or
  ///   more than 8 KiB.
  package init?(_ text: String) {
    guard text.utf8.count <= 8192, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return nil }
    switch text[..<colon].lowercased() {
    case "https": isEncrypted = true
    case "http": isEncrypted = false
    default: return nil
    }
    let rest = text[text.utf8.index(after: colon)...]
    guard rest.hasPrefix("//") else { return nil }
    let authority = rest.dropFirst(2).prefix { !"/?#".contains($0) }
    guard let (host, port) = Self.parts(of: authority) else { return nil }
    self.host = host
    self.port = port ?? (isEncrypted ? 443 : 80)
    let path = rest.dropFirst(2 + authority.count).prefix { $0 != "#" }
    target = Self.encoded((path.hasPrefix("/") ? "" : "/") + path)
  }

  package var description: String {
    let isStandard = port == (isEncrypted ? 443 : 80)
    return
      "\(isEncrypted ? "https" : "http")://\(bracketedHost)\(isStandard ? "" : ":\(port)")\(target)"
  }

  private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

  /// Indicates whether the host is certainly this machine: the strict check, for permissions.
  package var isLoopback: Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Indicates whether the host is this machine in any notation of the address: the broad check,
  /// for refusals.
  package var mayBeLoopback: Bool { isLoopback || LoopbackAddress.isOne(host) }

  /// Indicates whether the host is on this machine or a private network, as far as its name or
  /// number shows without a look-up.
  package var mayBePrivate: Bool {
    mayBeLoopback || PrivateNetwork.bytes(of: host).map(PrivateNetwork.contains) == true
  }

  /// Indicates whether requests are permitted: over TLS, or without leaving this machine.
  package var isPermitted: Bool { isEncrypted || isLoopback }

  /// Returns whether both have the same origin (RFC 6454 §5).
  package func hasSameOrigin(as other: WebAddress) -> Bool {
    isEncrypted == other.isEncrypted && host == other.host && port == other.port
  }

  private static func parts(of authority: Substring) -> (host: String, port: Int?)? {
    guard !authority.contains("@") else { return nil }
    var host = authority
    var port: Int?
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = authority[authority.index(after: authority.startIndex)..<end]
      guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." })
      else { return nil }
      let after = authority[authority.index(after: end)...]
      guard after.isEmpty || after.hasPrefix(":") else { return nil }
      if after.count > 1 {
        guard let number = number(after.dropFirst()) else { return nil }
        port = number
      }
      return (host.lowercased(), port)
    }
    if let colon = authority.firstIndex(of: ":") {
      host = authority[..<colon]
      let digits = authority[authority.index(after: colon)...]
      if !digits.isEmpty {
        guard let number = number(digits) else { return nil }
        port = number
      }
    }
    guard let name = DomainName.ascii(String(host)), name.utf8.count <= 255,
      name.utf8.allSatisfy({ byte in
        switch Unicode.Scalar(byte) {
        case "a"..."z", "0"..."9", "-", ".", "_": true
        default: false
        }
      })
    else { return nil }
    return (name, port)
  }

  private static func number(_ digits: Substring) -> Int? {
    guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = Int(digits), (1...65535).contains(value)
    else { return nil }
    return value
  }

  /// Percent-encodes everything that is not allowed in a path or query (RFC 3986 §2); a `%` stays.
  private static func encoded(_ text: some StringProtocol) -> String {
    PercentEncoding.encode(text) { byte in
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9": true
      case _: "-._~%/?:@!$&'()*+,;=".utf8.contains(byte)
      }
    }
  }
}

/// Percent-encoding: bytes as `%41` (RFC 3986 §2.1).
package enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Encodes the value of a query or form field: everything but letters, digits and `-._~`.
  package static func encode(_ text: some StringProtocol) -> String {
    encode(text) { byte in
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
      default: false
      }
    }
  }

  static func encode(_ text: some StringProtocol, keeping: (UInt8) -> Bool) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if keeping(byte) {
        out.append(byte)
      } else {
        out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Decodes a text; a `%` without two hexadecimal digits stays. Bytes that are not UTF-8 become
  /// U+FFFD.
  package static func decode(_ text: some StringProtocol) -> String {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = value(bytes[index + 1]), let low = value(bytes[index + 2])
      {
        out.append(high << 4 | low)
        index += 3
      } else {
        out.append(bytes[index])
        index += 1
      }
    }
    return String(bounding: out)
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}

import BoundedText
import Sockets

/// An address that HTTP can ask for (RFC 9110 §4.2): checked once, and from then on the same for everybody.
///
/// It holds no user name, no password and no fragment, and nothing that could end a line.
package struct WebAddress: Hashable, Sendable, CustomStringConvertible {
  /// Whether it is `https`.
  package let isEncrypted: Bool
  /// In lower case and ASCII; of an IPv6 address without its brackets.
  package let host: String
  package let port: Int
  /// Path and query, from the first slash on.
  package let target: String

  /// - Returns: `nil` for another scheme, a user name in it, no host, control characters, or more than 8 KiB.
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

  /// Whether it leads to this very machine, beyond doubt: what is permitted there has this form.
  package var isLoopback: Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Whether it leads to this very machine, in whatever form the address is written: what is refused there has any.
  package var mayBeLoopback: Bool { isLoopback || LoopbackAddress.isOne(host) }

  /// Whether it names this machine or one of a private network, as far as can be told without a look-up.
  package var mayBePrivate: Bool {
    mayBeLoopback || PrivateNetwork.bytes(of: host).map(PrivateNetwork.contains) == true
  }

  /// Whether something may be asked for there: over TLS, or without leaving this machine.
  package var isPermitted: Bool { isEncrypted || isLoopback }

  /// Whether both are answered by the same server (RFC 6454 §5).
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

  /// What may stand in a path or query stays, a `%` too; the rest is percent-encoded (RFC 3986 §2).
  private static func encoded(_ text: some StringProtocol) -> String {
    PercentEncoding.encode(text) { byte in
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9": true
      case _: "-._~%/?:@!$&'()*+,;=".utf8.contains(byte)
      }
    }
  }
}

/// Bytes written as `%41` (RFC 3986 §2.1).
package enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// For the value of a query or form field: everything but letters, digits and `-._~` is encoded.
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

  /// The text that an encoded one stands for; a `%` that begins no pair of digits stays. Bytes that are no UTF-8 become U+FFFD.
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

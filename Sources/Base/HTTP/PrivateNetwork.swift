import Glibc

/// Addresses of this machine, of its local networks, or outside the public internet (RFC 6890, RFC
/// 4193, RFC 4291).
enum PrivateNetwork {
  /// Returns the bytes of a numeric address, 4 or 16; `nil` for a name. The address is parsed as
  /// libcurl and the system do: also `127.1`, `0x7f.1`.
  static func bytes(of host: String) -> [UInt8]? {
    var six = in6_addr()
    if inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &six) == 1 {
      return plain(withUnsafeBytes(of: six) { Array($0) })
    }
    var four = in_addr()
    guard host.utf8.allSatisfy({ $0 > 0x20 }), inet_aton(host, &four) != 0 else { return nil }
    return withUnsafeBytes(of: four) { Array($0) }
  }

  /// Returns the bytes of a socket's address; `nil` for another family than IPv4 and IPv6.
  static func bytes(of address: UnsafeRawBufferPointer, family: CInt) -> [UInt8]? {
    switch family {
    case AF_INET where address.count >= 8: Array(address[4..<8])
    case AF_INET6 where address.count >= 24: plain(Array(address[8..<24]))
    default: nil
    }
  }

  /// Converts an IPv6 address that contains an IPv4 address to that. `::1` becomes 127.0.0.1,
  /// because names such as localhost have both.
  private static func plain(_ six: [UInt8]) -> [UInt8] {
    if six == [UInt8](repeating: 0, count: 15) + [1] { return [127, 0, 0, 1] }
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    return six.starts(with: mapped) ? Array(six.suffix(4)) : six
  }

  static func contains(_ address: [UInt8]) -> Bool {
    address.count == 4 ? containsFour(address) : address.count != 16 || containsSix(address)
  }

  /// Returns whether a connection to `address` reaches this machine: loopback, and the unspecified
  /// addresses, which the system takes for it.
  static func isThisMachine(_ address: [UInt8]) -> Bool {
    address.count == 4
      ? address[0] == 127 || address[0] == 0 : address.prefix(12).allSatisfy { $0 == 0 }
  }

  private static func containsFour(_ address: [UInt8]) -> Bool {
    switch (address[0], address[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (192, 168), (224..., _): true
    case (100, 64...127), (172, 16...31), (198, 18...19): true
    case (192, 0): address[2] == 0
    default: false
    }
  }

  private static func containsSix(_ address: [UInt8]) -> Bool {
    // Unspecified, loopback, and the old form of IPv4 in IPv6.
    if address.prefix(12).allSatisfy({ $0 == 0 }) { return true }
    // Unique local, link-local, site-local, multicast.
    if address[0] & 0xFE == 0xFC || address[0] == 0xFF { return true }
    if address[0] == 0xFE, address[1] & 0x80 == 0x80 { return true }
    // IPv4 behind translators (RFC 6052, RFC 8215) and in 6to4 (RFC 3056).
    if address.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01]) { return true }
    if address.starts(with: [0x00, 0x64, 0xFF, 0x9B]) {
      return containsFour(Array(address.suffix(4)))
    }
    return address.starts(with: [0x20, 0x02]) && containsFour(Array(address[2..<6]))
  }
}

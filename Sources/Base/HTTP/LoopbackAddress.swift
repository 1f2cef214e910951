import Glibc

/// Numeric addresses of this machine: 127/8 and ::1, and the unspecified ones, which the system
/// treats alike.
enum LoopbackAddress {
  /// - Parameter host: as libcurl and the system parse it: also `127.1`, `0x7f.1`,
  ///   `::ffff:127.0.0.1`.
  static func isOne(_ host: String) -> Bool {
    var six = in6_addr()
    if inet_pton(AF_INET6, host, &six) == 1 {
      let bytes = withUnsafeBytes(of: six) { Array($0) }
      let front = bytes.prefix(12)
      if front.allSatisfy({ $0 == 0 }) {
        // ::, ::1, and IPv4-compatible ones such as ::127.0.0.1.
        return bytes[12] == 127 || bytes[12...14].allSatisfy { $0 == 0 } && bytes[15] <= 1
      }
      let isMapped = front.prefix(10).allSatisfy { $0 == 0 } && front.suffix(2) == [0xFF, 0xFF]
      return isMapped && isOne(bytes.suffix(4))
    }
    var four = in_addr()
    guard host.utf8.allSatisfy({ $0 > 0x20 }), inet_aton(host, &four) != 0 else { return false }
    return withUnsafeBytes(of: four) { isOne(Array($0)[...]) }
  }

  private static func isOne(_ four: ArraySlice<UInt8>) -> Bool {
    four.first == 127 || four.allSatisfy { $0 == 0 }
  }
}

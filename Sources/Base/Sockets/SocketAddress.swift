import Glibc

/// An address of the operating system (`struct sockaddr`), as bytes.
package struct SocketAddress: Hashable, Sendable {
  private let bytes: [UInt8]

  init(_ pointer: UnsafePointer<sockaddr>, length: socklen_t) {
    bytes = Array(UnsafeRawBufferPointer(start: pointer, count: Int(length)))
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the address of a Unix socket.
  /// - Returns: `nil` when the path is empty, has a NUL byte or is longer than the system allows
  ///   (107 bytes).
  package static func unix(path: String) -> SocketAddress? {
    let path = Array(path.utf8)
    guard !path.isEmpty, path.count <= 107, !path.contains(0) else { return nil }
    return SocketAddress(bytes: header(AF_UNIX) + path + [0])
  }

  /// Returns a name in Linux' abstract namespace (unix(7)), which creates no file and disappears
  /// with its socket.
  static func abstract(name: String) -> SocketAddress {
    SocketAddress(bytes: header(AF_UNIX) + [0] + Array(name.utf8.prefix(107)))
  }

  /// Returns 127.0.0.1, or an address of the same network.
  package static func ipv4Loopback(port: Int, lastByte: UInt8 = 1) -> SocketAddress {
    SocketAddress(bytes: header(AF_INET) + bigEndian(port) + [127, 0, 0, lastByte] + zeros(8))
  }

  /// Returns ::1.
  package static func ipv6Loopback(port: Int) -> SocketAddress {
    SocketAddress(
      bytes: header(AF_INET6) + bigEndian(port) + zeros(4) + zeros(15) + [1] + zeros(4))
  }

  private static func header(_ family: CInt) -> [UInt8] {
    withUnsafeBytes(of: sa_family_t(family)) { Array($0) }
  }

  private static func bigEndian(_ port: Int) -> [UInt8] {
    let port = UInt16(truncatingIfNeeded: port)
    return [UInt8(port >> 8), UInt8(port & 0xFF)]
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  /// The address family, as `AF_INET`; `AF_UNSPEC` if it is missing.
  package var family: CInt {
    bytes.count < 2 ? AF_UNSPEC : CInt(bytes[0]) | CInt(bytes[1]) << 8
  }

  /// The port; `nil` for a Unix socket.
  package var port: Int? {
    guard family == AF_INET || family == AF_INET6, bytes.count >= 4 else { return nil }
    return Int(bytes[2]) << 8 | Int(bytes[3])
  }

  /// Indicates whether the address can only be this machine (RFC 6890, RFC 4291 §2.5.3).
  package var isLoopback: Bool {
    switch family {
    case AF_UNIX: return true
    case AF_INET: return bytes.count >= 8 && bytes[4] == 127
    case AF_INET6:
      guard bytes.count >= 24 else { return false }
      let address = bytes[8..<24]
      if address.dropLast().allSatisfy({ $0 == 0 }) { return address.last == 1 }
      // ::ffff:127.0.0.0/104
      return address.prefix(10).allSatisfy { $0 == 0 } && bytes[18] == 0xFF && bytes[19] == 0xFF
        && bytes[20] == 127
    default: return false
    }
  }

  /// The numeric address, without the port; `nil` for a Unix socket.
  package var numericHost: String? {
    guard port != nil else { return nil }
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let failed = withPointer { pointer, length in
      getnameinfo(pointer, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    }
    guard failed == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    bytes.withUnsafeBytes { raw in
      // An array's storage is aligned for any C type.
      guard let start = raw.baseAddress else { preconditionFailure("an address is never empty") }
      return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
  }

  /// Returns the result of `getpeername` or `getsockname` for a socket.
  static func asked(
    _ question: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt,
    of descriptor: CInt
  ) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        guard question(descriptor, pointer, &length) == 0, length >= 2 else { return nil }
        return SocketAddress(pointer, length: length)
      }
    }
  }
}

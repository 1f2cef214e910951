import Foundation
import Synchronization

/// Free ports on 127.0.0.1.
package enum LoopbackPort {
  package struct NoneFree: Error {}

  /// Ports that this process has allocated and must not allocate again.
  private static let taken = Mutex<Set<UInt16>>([])

  /// A port that nothing listens on.
  ///
  /// It lies outside the range from which the kernel takes ports for connections, so that no client
  /// gets it between this call and the server's start.
  package static func free() throws -> UInt16 {
    let (port, listener) = try listening()
    close(listener)
    return port
  }

  /// Returns a port of that range and a socket that listens on it: in this process nothing else can
  /// take the port in between.
  static func listening() throws -> (port: UInt16, listener: Int32) {
    for _ in 0..<2000 {
      let port = UInt16.random(in: 12_000...32_000)
      guard taken.withLock({ $0.insert(port).inserted }) else { continue }
      if let listener = try? LoopbackSocket.listener(port: port) { return (port, listener) }
    }
    throw NoneFree()
  }
}

/// The few socket calls that fixtures need.
enum LoopbackSocket {
  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }

  private static func make() throws -> Int32 {
    // At once: a program that another test starts in between would keep the port.
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return descriptor
  }

  /// - Parameter port: 0 for one that the kernel chooses.
  static func listener(port: UInt16) throws -> Int32 {
    let descriptor = try make()
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = address(port)
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0, listen(descriptor, 64) == 0 else {
      let problem = errno
      close(descriptor)
      throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EIO)
    }
    return descriptor
  }

  /// Closes a connection so that the other end sees it reset.
  static func reset(_ descriptor: Int32) {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
  }

  static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = getsockname(descriptor, $0, &length)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  static func connect(to port: UInt16) throws -> Int32 {
    let descriptor = try make()
    var address = address(port)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      let problem = errno
      close(descriptor)
      throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EIO)
    }
    return descriptor
  }
}

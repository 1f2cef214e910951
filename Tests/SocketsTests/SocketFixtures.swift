import Foundation
import Glibc
import Testing

@testable import Sockets

/// A directory of one test's own, removed with it.
final class TemporaryDirectory {
  let path: String

  init() throws {
    // Short, because a Unix socket's path has 107 bytes at most.
    path = "/tmp/natter-\(UInt64.random(in: 0...UInt64.max))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }
}

/// Bytes that no shift or swap leaves as they were.
func pattern(_ count: Int) -> [UInt8] {
  var state: UInt64 = 0x9E37_79B9_7F4A_7C15
  return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
    for index in 0..<count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      buffer[index] = UInt8(truncatingIfNeeded: state >> 56)
    }
    filled = count
  }
}

/// Receives until `count` bytes or the end have come.
func receive(_ count: Int, from stream: any ByteStream) async throws(SocketError) -> [UInt8] {
  var all: [UInt8] = []
  all.reserveCapacity(count)
  while all.count < count, let bytes = try await stream.receive() { all += bytes }
  return all
}

/// Sends everything that comes back to where it came from, until the end.
func echo(_ stream: any ByteStream) async {
  do {
    while let bytes = try await stream.receive() { try await stream.send(bytes) }
  } catch {
    // The other end may go at any time.
  }
  stream.close()
}

/// The error that `work` ends with.
func failure<R>(_ work: () async throws(SocketError) -> R) async -> SocketError? {
  do {
    _ = try await work()
    return nil
  } catch {
    return error
  }
}

/// A loopback port that is taken, so that nobody else gets it, and that nobody listens on.
final class RefusingPort: Sendable {
  let port: Int
  private let descriptor: CInt

  init(_ family: CInt = AF_INET) throws {
    descriptor = Descriptor.socket(family: family)
    Descriptor.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    let address: SocketAddress =
      family == AF_INET6 ? .ipv6Loopback(port: 0) : .ipv4Loopback(port: 0)
    let bound = address.withPointer { [descriptor] in bind(descriptor, $0, $1) }
    port = SocketAddress.asked({ getsockname($0, $1, $2) }, of: descriptor)?.port ?? 0
    try #require(bound == 0 && port > 0)
  }

  deinit { close(descriptor) }
}

/// A listener whose queue is full, so that the next connection is never answered.
final class DeafListener {
  let port: Int
  private var descriptors: [CInt] = []

  init(_ family: CInt = AF_INET) throws {
    func address(_ port: Int) -> SocketAddress {
      family == AF_INET6 ? .ipv6Loopback(port: port) : .ipv4Loopback(port: port)
    }
    let listener = Descriptor.socket(family: family)
    descriptors.append(listener)
    let bound = address(0).withPointer { bind(listener, $0, $1) }
    try #require(bound == 0 && listen(listener, 0) == 0)
    port = try #require(SocketAddress.asked({ getsockname($0, $1, $2) }, of: listener)?.port)
    for _ in 0..<4 {
      let client = Descriptor.socket(family: family)
      descriptors.append(client)
      _ = address(port).withPointer { connect(client, $0, $1) }
    }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}

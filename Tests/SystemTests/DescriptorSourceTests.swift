import Dispatch
import Glibc
import System
import TestSupport
import Testing

@testable import Sockets

@Suite(.timeLimit(.minutes(6))) struct DescriptorSourceTests {
  private let queue = DispatchQueue(label: "natter.test.watch")

  private func pair() throws -> (CInt, CInt) {
    var ends: [CInt] = [-1, -1]
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    try #require(socketpair(AF_UNIX, CInt(kind), 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  /// A pair of sockets of which one takes no more bytes, and who watches that.
  private struct Full {
    let near: CInt
    let far: CInt
    let watch: DescriptorSource
    let readable = OneShot<Void>()
    let writable = OneShot<Void>()

    init(_ ends: (CInt, CInt), _ queue: DispatchQueue) {
      (near, far) = ends
      watch = DescriptorSource(
        descriptor: near, queue: queue,
        onReadable: { [readable] in readable.settle(()) },
        onWritable: { [writable] in writable.settle(()) })
    }
  }

  private func full() throws -> Full {
    let full = Full(try pair(), queue)
    let block = [UInt8](repeating: 1, count: 65536)
    while send(full.near, block, block.count, CInt(MSG_NOSIGNAL)) > 0 {}
    return full
  }

  private func cancel(_ watch: DescriptorSource) async {
    let ended = OneShot<Void>()
    queue.async { watch.cancel { ended.settle(()) } }
    await ended.value()
  }

  /// Returns once everything that was armed before it is known to the system.
  private func settle() async throws {
    let (near, far) = try pair()
    let fired = OneShot<Void>()
    let watch = DescriptorSource(
      descriptor: near, queue: queue, onReadable: {}, onWritable: { fired.settle(()) })
    queue.async { watch.armWrite() }
    await fired.value()
    await cancel(watch)
    close(near)
    close(far)
  }

  @Test func `a watch that waits to write and then to read as well hears of both`() async throws {
    let before = openDescriptors()
    for _ in 0..<20 {
      let full = try full()
      let (near, far, watch) = (full.near, full.far, full.watch)
      var block = [UInt8](repeating: 0, count: 65536)
      queue.async { watch.armWrite() }
      try await settle()
      queue.async { watch.armRead() }
      try await settle()
      #expect(!full.readable.isSettled)
      #expect(!full.writable.isSettled)
      #expect(send(far, [1], 1, CInt(MSG_NOSIGNAL)) == 1)
      await full.readable.value()
      #expect(!full.writable.isSettled)
      while recv(far, &block, block.count, 0) > 0 {}
      await full.writable.value()
      await cancel(watch)
      close(near)
      close(far)
    }
    // Suites that run beside this one have some open too.
    try await until { openDescriptors() < before + 20 }
  }

  /// Dispatch, given the sockets themselves, ends their sources on two threads then, now and then
  /// twice.
  @Test func `a task that waits to read or to write learns that the other end is gone`()
    async throws
  {
    for _ in 0..<500 {
      let full = try full()
      var block = [UInt8](repeating: 0, count: 65536)
      queue.async {
        full.watch.armWrite()
        full.watch.armRead()
      }
      close(full.far)
      await full.readable.value()
      await full.writable.value()
      #expect(recv(full.near, &block, block.count, 0) <= 0)
      await cancel(full.watch)
      close(full.near)
    }
  }

  @Test func `a reader that waits again is notified again`() async throws {
    let (near, far) = try pair()
    let twice = OneShot<Void>()
    var times = 0
    var watch: DescriptorSource!
    watch = DescriptorSource(
      descriptor: near, queue: queue,
      onReadable: {
        times += 1
        if times == 2 { twice.settle(()) } else { watch.armRead() }
      })
    let armed = watch!
    queue.async { armed.armRead() }
    #expect(send(far, [1], 1, CInt(MSG_NOSIGNAL)) == 1)
    await twice.value()
    await cancel(armed)
    close(near)
    close(far)
  }
}

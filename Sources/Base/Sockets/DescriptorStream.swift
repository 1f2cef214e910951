import Dispatch
import Glibc

/// A byte stream over two descriptors of any kind, such as standard input and output: pipes,
/// terminals, sockets, files.
///
/// Their modes are not changed, because other processes may share them: poll(2) checks each before
/// it is read or written. The descriptors stay open when the stream is closed.
package final class DescriptorStream: ByteStream {
  private let input: StreamEngine
  private let output: StreamEngine

  package var isSecure: Bool { false }
  package var isLoopback: Bool { true }

  package init(input: CInt, output: CInt) {
    let queue = DispatchQueue(label: "natter.descriptors")
    self.input = StreamEngine(SharedDescriptor(input), queue: queue)
    self.output = StreamEngine(SharedDescriptor(output), queue: queue)
  }

  deinit { close() }

  package func receive() async throws(SocketError) -> [UInt8]? { try await input.receive() }
  package func send(_ bytes: [UInt8]) async throws(SocketError) { try await output.send(bytes) }

  package func close() {
    input.close()
    output.close()
  }
}

/// A byte stream to a child process over pipes, which it owns.
///
/// Its two directions end on their own: `close` closes the output, and what the child still writes
/// can be received. The input is closed with the stream.
package final class PipeStream: ByteStream {
  private let input: StreamEngine
  private let output: StreamEngine?

  package var isSecure: Bool { false }
  package var isLoopback: Bool { true }

  /// - Parameters:
  ///   - input: the reading end of the pipe that the child writes into.
  ///   - output: the writing end of the pipe that it reads; `nil`: there is none.
  package init(input: CInt, output: CInt? = nil) {
    // The child can open the other end of its pipes (/proc/self/fd), and fill or drain them between
    // a check and a call. The modes of its own ends are not changed.
    for end in [input, output].compactMap(\.self) {
      _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
    }
    let queue = DispatchQueue(label: "natter.pipes")
    self.input = StreamEngine(SharedDescriptor(input, isOwned: true), queue: queue)
    self.output = output.map { StreamEngine(SharedDescriptor($0, isOwned: true), queue: queue) }
  }

  deinit {
    input.close()
    output?.close()
  }

  package func receive() async throws(SocketError) -> [UInt8]? { try await input.receive() }

  /// - Throws: `SocketError`; `.closed` if there is no output.
  package func send(_ bytes: [UInt8]) async throws(SocketError) {
    guard let output else { throw .closed }
    try await output.send(bytes)
  }

  package func close() { output?.close() }
}

/// A descriptor that other processes may use, too.
private final class SharedDescriptor: Transport {
  let descriptor: CInt
  private let isOwned: Bool

  /// A pipe that can be written takes this many bytes without blocking (pipe(7), `PIPE_BUF`).
  private static let writeLimit = 4096

  init(_ descriptor: CInt, isOwned: Bool = false) {
    (self.descriptor, self.isOwned) = (descriptor, isOwned)
  }

  func read() -> TransportRead {
    var received = 0
    var code: CInt = 0
    guard isReady(for: POLLIN) else { return .again }
    let bytes = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
      repeat {
        received = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        code = received < 0 ? errno : 0
      } while code == EINTR
      count = max(received, 0)
    }
    if received > 0 { return .bytes(bytes) }
    if received == 0 { return .end }
    return code == EAGAIN || code == EWOULDBLOCK ? .again : .failed(Descriptor.error(code))
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> TransportWrite {
    while true {
      guard isReady(for: POLLOUT) else { return .again }
      let written = Glibc.write(descriptor, bytes.baseAddress, min(bytes.count, Self.writeLimit))
      if written >= 0 { return .wrote(written) }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: return .again
      case let code: return .failed(Descriptor.error(code))
      }
    }
  }

  /// Indicates whether a call returns at once: with bytes, the end or an error.
  private func isReady(for events: CInt) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    // A descriptor that cannot be asked reports its error when it is read or written.
    return poll(&request, 1, 0) != 0
  }

  func dispose() { if isOwned { Glibc.close(descriptor) } }
}

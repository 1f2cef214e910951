import Dispatch
import Glibc

/// The lines of a descriptor as they are typed; ends with it, and when it is told to.
///
/// A source alone does not tell all: of a pipe whose writer is gone it tells once, with what is in it, and not again when that
/// has been read; of `/dev/null` it never tells anything, for the kernel cannot watch it. So each time the descriptor is
/// read until there is nothing, and once at the beginning.
final class LineInput {
  let lines: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  private let descriptor: CInt
  private let source: (any DispatchSourceRead)?
  private var pending: [UInt8] = []
  private var isReading = false
  private var hasEnded = false

  init(descriptor: CInt) {
    self.descriptor = descriptor
    (lines, continuation) = AsyncStream<String>.makeStream()
    // To watch one that is none would end the program.
    let isOpen = fcntl(descriptor, F_GETFD) >= 0
    source =
      isOpen ? DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main) : nil
    source?.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.read() } }
    source?.activate()
    read()
  }

  /// Nothing is read any more.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    source?.cancel()
    continuation.finish()
  }

  /// Reads until there is nothing to be read now.
  private func read() {
    guard !isReading else { return }
    isReading = true
    readNext()
  }

  private func readNext() {
    guard !hasEnded, isReady else {
      isReading = false
      return
    }
    take()
    // The others on this queue have their turn before the rest of a long input.
    DispatchQueue.main.async { [self] in MainActor.assumeIsolated { readNext() } }
  }

  /// Whether reading would not wait; the end, and a descriptor that is none, can be read as well.
  private var isReady: Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return descriptor < 0 || poll(&request, 1, 0) > 0
  }

  private func take() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      if !pending.isEmpty { continuation.yield(String(decoding: pending, as: UTF8.self)) }
      return end()
    }
    pending += buffer[..<count]
    while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
      continuation.yield(String(decoding: pending[..<end], as: UTF8.self))
      pending.removeFirst(end + 1)
    }
  }
}

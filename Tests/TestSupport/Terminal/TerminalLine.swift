import Foundation
import Synchronization

/// Our end of a pseudo-terminal, and the thread that reads from it.
///
/// Only that thread closes the descriptor, so that it never reads from one that was reused;
/// `hangUp` wakes it by a pipe.
final class TerminalLine: Sendable {
  /// Everything read so far, and when.
  final class Log: Sendable {
    private struct Content {
      var bytes: [UInt8] = []
      /// When each piece was read, and how many bytes there were after it.
      var pieces: [(time: ContinuousClock.Instant, end: Int)] = []
    }

    private let content = Mutex(Content())
    var value: [UInt8] { content.withLock { $0.bytes } }
    var count: Int { content.withLock { $0.bytes.count } }
    var lastTime: ContinuousClock.Instant? { content.withLock { $0.pieces.last?.time } }
    func since(_ mark: Int) -> [UInt8] { content.withLock { Array($0.bytes.dropFirst(mark)) } }
    func times(since mark: Int) -> [ContinuousClock.Instant] {
      content.withLock { $0.pieces.reversed().prefix { $0.end > mark }.reversed().map(\.time) }
    }
    func append(_ more: ArraySlice<UInt8>) {
      let time = ContinuousClock.now
      content.withLock { content in
        content.bytes += more
        content.pieces.append((time, content.bytes.count))
      }
    }
  }

  let log = Log()
  private let master: Mutex<Int32>
  private let halted = Atomic(false)
  private let wake: (read: Int32, write: Int32)

  /// Takes over the descriptor.
  init(_ master: Int32) {
    _ = fcntl(master, F_SETFL, fcntl(master, F_GETFL) | O_NONBLOCK)
    self.master = Mutex(master)
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    wake = (ends[0], ends[1])
  }

  deinit { close(wake.write) }

  /// Indicates whether the output is not read: the program can write until its terminal is full.
  var isHalted: Bool {
    get { halted.load(ordering: .relaxed) }
    set { halted.store(newValue, ordering: .relaxed) }
  }

  /// Calls `body` with the descriptor, which is -1 once hung up.
  func withDescriptor<Result>(_ body: (Int32) -> Result) -> Result { master.withLock { body($0) } }

  /// Reads on a thread of its own until `hangUp`.
  /// - Parameters:
  ///   - bytesPerSecond: how much is read; `nil`: as much as there is.
  ///   - onOutput: called with each piece; what it returns is sent back.
  ///   - onEnd: called once, when there will be no more.
  func startReading(
    bytesPerSecond: Int? = nil,
    onOutput: @escaping @Sendable (ArraySlice<UInt8>) -> [UInt8],
    onEnd: @escaping @Sendable () -> Void
  ) {
    let descriptor = withDescriptor { $0 }
    let stop = wake.read
    // The thread holds this object, until it is woken.
    Thread.detachNewThread { [self] in
      // A slow line's bytes come in pieces of a twentieth of a second.
      var buffer = [UInt8](repeating: 0, count: bytesPerSecond.map { max(1, $0 / 20) } ?? 65536)
      var isOpen = true
      while true {
        var watched = [
          pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
          pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        // Nothing wakes it when it is to read again.
        let isHalted = isHalted
        guard poll(&watched, isOpen && !isHalted ? 2 : 1, isHalted ? 20 : -1) > 0 else { continue }
        if watched[0].revents != 0 { break }
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
        guard count > 0 else {
          // The program and all it started have closed it. Its settings can still be asked for.
          isOpen = false
          onEnd()
          continue
        }
        if bytesPerSecond != nil { usleep(50_000) }
        log.append(buffer[..<count])
        send(onOutput(buffer[..<count]))
      }
      master.withLock { master in
        close(master)
        master = -1
      }
      close(stop)
      onEnd()
    }
  }

  /// Closes the terminal: the program gets SIGHUP.
  func hangUp() {
    var byte: UInt8 = 0
    withUnsafeBytes(of: &byte) { _ = writeToPipe(wake.write, $0) }
  }

  /// Sends bytes as if typed. What a program does not read within five seconds is dropped.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let (count, problem) = withDescriptor { master in
        (rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }, errno)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if problem == EAGAIN {
        var watched = pollfd(fd: withDescriptor { $0 }, events: Int16(POLLOUT), revents: 0)
        guard poll(&watched, 1, 5000) > 0 else { return }
      } else if problem != EINTR {
        return
      }
    }
  }
}

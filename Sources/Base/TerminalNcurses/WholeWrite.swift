import Glibc

/// Writes of complete output to a terminal, however long they take.
nonisolated enum WholeWrite {
  /// Writes all bytes. Ends early only if the terminal is closed, which the next read reports.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let count = Glibc.write(descriptor, base + done, bytes.count - done)
      if count > 0 {
        done += count
      } else if count < 0, errno == EAGAIN {
        // Another program that shares the terminal has made it non-blocking: half of a frame would
        // be lost.
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, -1) >= 0 || errno == EINTR else { return }
      } else if count == 0 || errno != EINTR {
        return
      }
    }
  }
}

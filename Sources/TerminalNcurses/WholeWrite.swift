import Glibc

/// Writing all of something to a terminal, however long that takes.
nonisolated enum WholeWrite {
  /// Ends early only when the terminal is gone: reading it will say so.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let count = Glibc.write(descriptor, base + done, bytes.count - done)
      if count > 0 {
        done += count
      } else if count < 0, errno == EAGAIN {
        // A program that shares the terminal has left it so that nobody waits for it: half of a frame would be lost.
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, -1) >= 0 || errno == EINTR else { return }
      } else if count == 0 || errno != EINTR {
        return
      }
    }
  }
}

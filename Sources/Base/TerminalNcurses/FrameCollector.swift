import CNcurses
import Glibc

/// Collects ncurses' output of a frame in memory, so that it goes to the terminal in one piece:
/// ncurses 6.4 writes once for each cursor movement, and each of some hundred writes may wake the
/// terminal.
struct FrameCollector {
  /// An anonymous file in memory; -1 if the system has none.
  private let memory: CInt = natter_memory_file()
  /// The descriptor that ncurses writes to, and the terminal's.
  private let target: CInt
  private let terminal: CInt

  /// - Parameters:
  ///   - target: the descriptor that ncurses writes to, which nothing else uses.
  ///   - terminal: the terminal's descriptor.
  init(target: CInt, terminal: CInt) {
    (self.target, self.terminal) = (target, terminal)
  }

  /// Collects the output of ncurses from here on. Programs started meanwhile do not inherit the
  /// file.
  /// - Returns: `false` if collecting is impossible; the output goes to the terminal then.
  func begin() -> Bool {
    memory >= 0 && natter_files_are_limited() == 0 && point(at: memory)
  }

  /// Redirects ncurses to the terminal again.
  /// - Returns: the output since `begin`.
  func end() -> [UInt8] {
    _ = point(at: terminal)
    defer {
      // Releases the memory, and starts the next frame at offset 0.
      ftruncate(memory, 0)
      lseek(memory, 0, SEEK_SET)
    }
    let count = max(0, Int(lseek(memory, 0, SEEK_CUR)))
    return [UInt8](unsafeUninitializedCapacity: count) { space, filled in
      while filled < count, let base = space.baseAddress {
        let part = pread(memory, base + filled, count - filled, off_t(filled))
        if part > 0 {
          filled += part
        } else if part == 0 || errno != EINTR {
          return
        }
      }
    }
  }

  /// Redirects ncurses to `descriptor`. Programs started meanwhile do not inherit it.
  private func point(at descriptor: CInt) -> Bool {
    let isDone = dup2(descriptor, target) == target
    _ = fcntl(target, F_SETFD, FD_CLOEXEC)
    return isDone
  }

  /// Closes the memory file.
  func close() { if memory >= 0 { Glibc.close(memory) } }
}

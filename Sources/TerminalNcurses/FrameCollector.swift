import CNcurses
import Glibc

/// Has what ncurses writes for a frame kept in memory, so that it goes to the terminal in one piece: ncurses 6.4 writes once
/// for each place that it goes to, and each of these some hundred writes may wake the terminal up.
struct FrameCollector {
  /// A file without a name; -1 where the system has none to give.
  private let memory: CInt = natter_memory_file()
  /// Where ncurses writes to, and what that is otherwise.
  private let target: CInt
  private let terminal: CInt

  /// - Parameters:
  ///   - target: the descriptor that ncurses writes to, which is nobody else's.
  ///   - terminal: that of the terminal.
  init(target: CInt, terminal: CInt) {
    (self.target, self.terminal) = (target, terminal)
  }

  /// Keeps what ncurses writes from here on. No program that is started meanwhile gets it.
  /// - Returns: `false` where nothing can be kept; it goes to the terminal then.
  func begin() -> Bool {
    memory >= 0 && natter_files_are_limited() == 0 && point(at: memory)
  }

  /// Lets ncurses write to the terminal again.
  /// - Returns: what it has written since `begin`.
  func end() -> [UInt8] {
    _ = point(at: terminal)
    defer {
      // The memory goes back, and the next frame begins at the beginning.
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

  /// Has ncurses write to `descriptor`. No program that is started is to have that.
  private func point(at descriptor: CInt) -> Bool {
    let isDone = dup2(descriptor, target) == target
    _ = fcntl(target, F_SETFD, FD_CLOEXEC)
    return isDone
  }

  /// Gives the memory back.
  func close() { if memory >= 0 { Glibc.close(memory) } }
}

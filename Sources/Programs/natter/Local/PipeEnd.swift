import Dispatch
import Glibc
import Sockets

/// The end of a pipe to another process.
nonisolated enum PipeEnd {
  /// Waits until the process has closed its side, for at most `limit`, or until the task is
  /// cancelled. The bytes that it wrote stay readable.
  static func wait(for descriptor: CInt, limit: Duration) async {
    // A copy: an abandoned wait must not use a descriptor that is another file by then.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return }
    let outcome = OneShot<Void>()
    let milliseconds = CInt(limit.components.seconds) * 1000
    DispatchQueue(label: "natter.pipe-end").async {
      var state = pollfd(fd: copy, events: 0, revents: 0)
      while poll(&state, 1, milliseconds) < 0, errno == EINTR {}
      close(copy)
      outcome.settle(())
    }
    await withTaskCancellationHandler {
      await outcome.value()
    } onCancel: {
      outcome.settle(())
    }
  }

  /// Closes standard error if it is a pipe.
  static func release() {
    var found = stat()
    guard fstat(STDERR_FILENO, &found) == 0, found.st_mode & S_IFMT == S_IFIFO else { return }
    let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nowhere >= 0 else { return }
    dup2(nowhere, STDERR_FILENO)
    close(nowhere)
  }
}

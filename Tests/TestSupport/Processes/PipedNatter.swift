import Foundation

/// The program as a child that reads lines from a pipe and writes lines to another one.
final class PipedNatter: Sendable {
  let child: ChildProcess
  private let input: Int32

  /// - Parameters:
  ///   - more: added to its environment.
  ///   - readsErrors: whether the lines of its standard error are read like those of its output;
  ///     otherwise they are discarded.
  ///   - observed: gets each line by `take`, and ends with the output.
  init<State: Sendable>(
    _ arguments: [String], home: Home, _ more: [String: String], readsErrors: Bool,
    into observed: Observed<State>, take: @escaping @Sendable (inout State, String) -> Void
  ) throws {
    var toChild: [Int32] = [-1, -1]
    var fromChild: [Int32] = [-1, -1]
    pipe(&toChild)
    pipe(&fromChild)
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    input = toChild[1]
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { for end in [toChild[0], fromChild[1], null] { close(end) } }
    child = try ChildProcess(
      Programs.natter, arguments, environment: home.environment(more),
      directory: home.home.path,
      descriptors: (toChild[0], fromChild[1], readsErrors ? fromChild[1] : null))
    PipeLines.read(fromChild[0]) { line in
      observed.update { take(&$0, line) }
    } end: {
      observed.finish()
    }
  }

  deinit {
    close(input)
    child.release()
  }

  func send(_ line: String) {
    Array((line + "\n").utf8).withUnsafeBytes { _ = writeToPipe(input, $0) }
  }
}

import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// The log on the disk: `natter.log`, 0600, and two older ones (`natter.log.1`, `natter.log.2`).
///
/// Lines are written on a queue of its own, so that no caller waits for the disk. A full disk, or a
/// missing directory, stops only the log; it continues when it can be written again.
package final class LogFile: LogSink {
  /// The size at which the file is rotated, in bytes.
  package static let sizeLimit = 5 << 20
  /// The maximum number of files, including the current one.
  package static let fileCount = 3
  /// The maximum number of lines that wait for a slow disk; later ones are counted and dropped.
  private static let backlogLimit = 10_000
  /// The delay before another attempt after a failed write, in seconds.
  private static let pause: TimeInterval = 30

  private struct State {
    var descriptor: Int32 = -1
    var size = 0
    var lost = 0
    var failedAt: Date?
  }

  // Callers lock only this, so that none of them waits while the queue writes.
  private struct Backlog {
    var waiting = 0
    var lost = 0
  }

  private let path: String
  private let sizeLimit: Int
  private let now: @Sendable () -> Date
  private let queue = DispatchQueue(label: "natter.log", qos: .utility)
  private let state = Mutex(State())
  private let backlog = Mutex(Backlog())

  /// - Parameters:
  ///   - path: the file, in an existing directory.
  ///   - sizeLimit: in bytes.
  package init(
    path: String, sizeLimit: Int = LogFile.sizeLimit,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.path = path
    self.sizeLimit = sizeLimit
    self.now = now
  }

  deinit {
    let descriptor = state.withLock { $0.descriptor }
    if descriptor >= 0 { close(descriptor) }
  }

  package func write(_ entry: LogEntry) {
    let date = now()
    let hasRoom = backlog.withLock { backlog in
      guard backlog.waiting < Self.backlogLimit else {
        backlog.lost += 1
        return false
      }
      backlog.waiting += 1
      return true
    }
    guard hasRoom else { return }
    queue.async { self.append(entry, at: date) }
  }

  /// Returns when all previously written entries are in the file.
  package func flush() async {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume() }
    }
  }

  private func append(_ entry: LogEntry, at date: Date) {
    let lost = backlog.withLock { backlog in
      backlog.waiting -= 1
      defer { backlog.lost = 0 }
      return backlog.lost
    }
    state.withLock { state in
      state.lost += lost
      if let failedAt = state.failedAt {
        // A clock that was set back must not stop the log for long.
        guard abs(date.timeIntervalSince(failedAt)) >= Self.pause else {
          state.lost += 1
          return
        }
      }
      var text = Self.line(entry, at: date)
      if state.lost > 0 {
        let notice = LogEntry(
          level: .warning, category: "log", message: "\(state.lost) lines are missing here")
        text = Self.line(notice, at: date) + text
      }
      if put(Array(text.utf8), &state) {
        state.lost = 0
        state.failedAt = nil
      } else {
        state.lost += 1
        state.failedAt = date
      }
    }
  }

  private func put(_ bytes: [UInt8], _ state: inout State) -> Bool {
    if state.descriptor >= 0, state.size > 0, state.size + bytes.count > sizeLimit {
      close(state.descriptor)
      state.descriptor = -1
      rotate()
    }
    if state.descriptor < 0, !open(&state) { return false }
    let written = bytes.withUnsafeBytes {
      Glibc.write(state.descriptor, $0.baseAddress, $0.count)
    }
    guard written == bytes.count else {
      // A partial line would run into the next one.
      if written > 0 { ftruncate(state.descriptor, off_t(state.size)) }
      close(state.descriptor)
      state.descriptor = -1
      return false
    }
    state.size += written
    return true
  }

  private func open(_ state: inout State) -> Bool {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    let descriptor = Glibc.open(path, flags, 0o600)
    guard descriptor >= 0 else { return false }
    var information = stat()
    guard fstat(descriptor, &information) == 0 else {
      close(descriptor)
      return false
    }
    if information.st_mode & S_IFMT == S_IFREG, information.st_mode & 0o777 != 0o600 {
      fchmod(descriptor, 0o600)
    }
    state.descriptor = descriptor
    state.size = Int(information.st_size)
    return true
  }

  /// Renames natter.log to natter.log.1, that one to natter.log.2, and replaces the oldest one.
  private func rotate() {
    for number in stride(from: Self.fileCount - 1, through: 1, by: -1) {
      let older = "\(path).\(number)"
      rename(number == 1 ? path : "\(path).\(number - 1)", older)
    }
  }

  /// Formats `2026-01-31T12:00:00.123Z warning connection: message`, always one line.
  private static func line(_ entry: LogEntry, at date: Date) -> String {
    let time = date.formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt))
    var message = ""
    for scalar in entry.message.unicodeScalars {
      switch scalar {
      case "\n": message += "\\n"
      // Control and bidirectional characters are escaped, because a log is read in a terminal.
      case "\0"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}"..."\u{202e}", "\u{2066}"..."\u{2069}":
        message += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: message.unicodeScalars.append(scalar)
      }
    }
    return "\(time) \(entry.level.rawValue) \(entry.category): \(message)\n"
  }
}

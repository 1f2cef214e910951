import CLinux
import Dispatch
import FoundationEssentials
import Glibc
import Terminal

/// Reads the terminal and delivers events, on the main actor.
///
/// The descriptor stays blocking: it usually shares its file description with standard output,
/// which must not become non-blocking under ncurses. One read per notification never waits.
package final class TerminalInput {
  /// Receives the terminal's reports, e.g. the answer to `NcursesScreen.askForBackground`.
  package var onReport: (@MainActor (TerminalReport) -> Void)?

  private let descriptor: CInt
  private let handler: @MainActor ([InputEvent]) -> Void
  private var decoder: InputDecoder
  private var source: (any DispatchSourceRead)?
  private var timer: (any DispatchSourceTimer)?
  private var buffer = [UInt8](repeating: 0, count: 65536)

  /// - Parameters:
  ///   - descriptor: the terminal's, in raw mode.
  ///   - escapeDelay: the time that a lone ESC waits for the rest of a sequence; `nil` depends on
  ///     whether this is an ssh session.
  ///   - handler: receives the events of each read in order; never an empty array.
  package init(
    descriptor: CInt = STDIN_FILENO, escapeDelay: Duration? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    handler: @escaping @MainActor ([InputEvent]) -> Void
  ) {
    self.descriptor = descriptor
    self.handler = handler
    let isRemote = environment["SSH_CONNECTION"] != nil
    decoder = InputDecoder(escapeDelay: escapeDelay ?? .milliseconds(isRemote ? 100 : 25))
  }

  /// Begins or resumes reading.
  package func start() {
    guard source == nil else { return }
    // A terminal can hang up, so Dispatch watches an epoll set in its stead (CLinux has the
    // reason). Files and devices that no set accepts do not hang up.
    let set = natter_watch_open()
    let isInSet = set >= 0 && natter_watch_set(set, descriptor, natter_ready_in) == 0
    let source = DispatchSource.makeReadSource(
      fileDescriptor: isInSet ? set : descriptor, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.readOnce() }
    }
    source.setCancelHandler { if set >= 0 { close(set) } }
    source.activate()
    self.source = source
  }

  /// Leaves the terminal's bytes to another reader until `start` is called again.
  package func pause() {
    source?.cancel()
    source = nil
    timer?.cancel()
    timer = nil
  }

  /// Waits for input from the terminal, and delivers the reports in it; typed input is dropped.
  /// - Returns: whether anything arrived before the deadline.
  func readAnswers(until deadline: ContinuousClock.Instant) -> Bool {
    // Reading in the background would stop this program.
    guard !isInBackground else { return false }
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let wait = max(.zero, ContinuousClock.now.duration(to: deadline)) / Duration.milliseconds(1)
    let found = poll(&state, 1, CInt(wait.rounded(.up)))
    if found == -1, errno == EINTR { return true }
    guard found == 1, state.revents & Int16(POLLIN) != 0 else { return false }
    let count = read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return count < 0 && errno == EINTR }
    _ = decoder.feed(Array(buffer[..<count]), at: .now)
    for report in decoder.takeReports() { onReport?(report) }
    return true
  }

  isolated deinit {
    pause()
  }

  private func readOnce() {
    guard source != nil else { return }
    let count = read(descriptor, &buffer, buffer.count)
    if count > 0 {
      deliver(decoder.feed(Array(buffer[..<count]), at: .now))
    } else if count < 0, errno == EIO, isInBackground {
      // The input belongs to the shell. Reading resumes when the program returns to the foreground.
      return pause()
    } else if count == 0 || errno != EINTR && errno != EAGAIN {
      // End of file, or EIO: the terminal is closed.
      pause()
      return deliver(decoder.end())
    }
    setTimer()
  }

  /// Indicates whether another process group is in the foreground.
  private var isInBackground: Bool {
    let group = tcgetpgrp(descriptor)
    return group > 0 && group != getpgrp()
  }

  private func setTimer() {
    timer?.cancel()
    timer = nil
    guard let deadline = decoder.pendingDeadline else { return }
    let timer = DispatchSource.makeTimerSource(queue: .main)
    let wait = max(.zero, ContinuousClock.now.duration(to: deadline))
    let (seconds, attoseconds) = wait.components
    timer.schedule(
      deadline: .now()
        + .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)))
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        guard let self, self.timer != nil else { return }
        self.deliver(self.decoder.expire(at: max(.now, deadline)))
        self.setTimer()
      }
    }
    timer.activate()
    self.timer = timer
  }

  private func deliver(_ events: [InputEvent]) {
    for report in decoder.takeReports() { onReport?(report) }
    if !events.isEmpty { handler(events) }
  }
}

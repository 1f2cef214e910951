import Dispatch
import Glibc
import Terminal

/// Queries the widths on which terminals disagree, for line mode without a full screen.
package nonisolated enum WidthQuestion {
  /// The timeout: over a slow line, half a second of silence means nothing.
  private static let limit = Duration.seconds(2)

  /// Draws each sample at the start of the cursor's line, queries the cursor position after it, and
  /// clears the line. If the first answer shows a terminal without UTF-8, no other sample is drawn.
  /// - Parameters:
  ///   - input: the descriptor that the answers come from.
  ///   - output: the terminal's own descriptor.
  /// - Returns: `nil` if it is not a terminal, or does not answer.
  @concurrent package static func ask(_ input: CInt, _ output: CInt) async -> WidthProbe? {
    await withCheckedContinuation { continuation in
      // The query blocks until the terminal answers, so it has a thread of its own.
      DispatchQueue(label: "natter.widths").async {
        continuation.resume(returning: answer(input, output))
      }
    }
  }

  private static func answer(_ input: CInt, _ output: CInt) -> WidthProbe? {
    guard isatty(output) != 0 else { return nil }
    return HiddenInput.whileAnswering(input) { heard(input, output) } ?? nil
  }

  private static func heard(_ input: CInt, _ output: CInt) -> WidthProbe? {
    var probe = WidthProbe()
    for samples in WidthProbe.rounds where probe.isUTF8 != false {
      let question = samples.map { "\r\($0.rawValue)\u{1B}[6n" }.joined() + "\r\u{1B}[K"
      Array(question.utf8).withUnsafeBytes { WholeWrite.write($0, to: output) }
      guard takeAnswers(from: input, &probe) else { return nil }
    }
    return probe
  }

  /// - Returns: whether all answers of a round have arrived.
  private static func takeAnswers(from input: CInt, _ probe: inout WidthProbe) -> Bool {
    var decoder = InputDecoder(escapeDelay: limit)
    let deadline = ContinuousClock.now + limit
    var buffer = [UInt8](repeating: 0, count: 256)
    while true {
      let rest = ContinuousClock.now.duration(to: deadline)
      let milliseconds = rest / .milliseconds(1)
      guard milliseconds >= 1 else { return false }
      var request = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      let ready = poll(&request, 1, CInt(milliseconds))
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return false }
      let count = read(input, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      _ = decoder.feed(Array(buffer[..<count]), at: .now)
      for case .cursor(let position) in decoder.takeReports() {
        // The row does not matter here.
        if probe.take(Point(row: WidthProbe.row, column: position.column)) { return true }
      }
    }
  }
}

import Dispatch
import Glibc
import Terminal

/// Asks a terminal that shows lines, and no full screen, how wide it draws what terminals disagree about.
package nonisolated enum WidthQuestion {
  /// How long the terminal may take: over a slow line half a second is no sign of anything.
  private static let limit = Duration.seconds(2)

  /// Draws each sample at the beginning of the line where the cursor is, asks where the cursor is then, and empties the line.
  /// - Parameters:
  ///   - input: the descriptor that the answers come from.
  ///   - output: the terminal's own descriptor.
  /// - Returns: `nil` where it is no terminal, or does not answer.
  @concurrent package static func ask(_ input: CInt, _ output: CInt) async -> WidthProbe? {
    await withCheckedContinuation { continuation in
      // It waits for the terminal: on a thread of its own.
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
    let question =
      WidthProbe.Sample.allCases.map { "\r\($0.rawValue)\u{1B}[6n" }.joined() + "\r\u{1B}[K"
    var bytes = Array(question.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return nil }
      bytes = bytes.dropFirst(written)
    }
    var probe = WidthProbe()
    var decoder = InputDecoder(escapeDelay: limit)
    let deadline = ContinuousClock.now + limit
    var buffer = [UInt8](repeating: 0, count: 256)
    while true {
      let rest = ContinuousClock.now.duration(to: deadline)
      let milliseconds = rest / .milliseconds(1)
      guard milliseconds >= 1 else { return nil }
      var request = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      let ready = poll(&request, 1, CInt(milliseconds))
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return nil }
      let count = read(input, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      _ = decoder.feed(Array(buffer[..<count]), at: .now)
      for case .cursor(let place) in decoder.takeReports() {
        // Which row it is does not matter here.
        if probe.take(Point(row: WidthProbe.row, column: place.column)) { return probe }
      }
    }
  }
}
